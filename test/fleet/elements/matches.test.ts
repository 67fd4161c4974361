import { expect, it } from 'vitest';
import { matcher } from '../../../src/fleet/elements/elements.js';

const element = {
  id: '00000000-1.2-3',
  role: 'toggle button',
  name: 'Sign In',
  value: 'User\nDOE',
  states: [],
  actions: [],
  box: [0, 0, 1, 1] as [number, number, number, number],
};

it.each([
  [{ text: 'sign' }, true],
  [{ text: ' doe ' }, true],
  [{ text: 'button' }, false],
  [{ name: 'sign in' }, true],
  [{ name: 'sign' }, false],
  [{ role: 'button' }, true],
  [{ role: 'Toggle-Button' }, true],
  [{ role: 'but' }, false],
  [{ role: 'button', text: 'out' }, false],
  [{ role: 'button', text: 'in', name: 'SIGN IN' }, true],
])('%j: %s', (conditions, isMatch) => {
  expect(matcher(conditions)(element)).toBe(isMatch);
});
