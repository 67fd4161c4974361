import { expect, it } from 'vitest';
import { type ConditionOptions, conditions } from '../../../src/cli/input/conditions.js';

const none: ConditionOptions = {
  element: [],
  text: [],
  region: undefined,
  window: [],
  file: [],
  sizeAbove: undefined,
  port: [],
  command: [],
  url: [],
  any: false,
  gone: false,
};

it('makes one condition of one option, and a list of several', () => {
  expect(conditions(none)).toBeUndefined();
  expect(conditions({ ...none, port: [80] })).toEqual({ port: 80 });
  expect(conditions({ ...none, port: [80], file: ['a'], sizeAbove: 5 })).toEqual({
    all: [{ file: 'a', size_above: 5 }, { port: 80 }],
  });
  expect(conditions({ ...none, window: ['a', 'b'], any: true, gone: true })).toEqual({
    any: [
      { window: 'a', gone: true },
      { window: 'b', gone: true },
    ],
  });
});

it('reads a text in a part of the screen', () => {
  const region = { x: 1, y: 2, width: 3, height: 4 };
  expect(conditions({ ...none, text: ['Saved'], region, port: [80] })).toEqual({
    all: [{ text: 'Saved', region: [1, 2, 3, 4] }, { port: 80 }],
  });
});

it.each([
  ['button:OK', { role: 'button', name: 'OK' }],
  ['push button:Save: now', { role: 'push button', name: 'Save: now' }],
  ['Sign in', { text: 'Sign in' }],
  [':x', { text: ':x' }],
  ['button:', { text: 'button:' }],
])('takes the element %j', (text, element) => {
  expect(conditions({ ...none, element: [text] })).toEqual({ element });
});

it('refuses options without a condition', () => {
  expect(() => conditions({ ...none, any: true })).toThrow('--any needs a condition');
  expect(() => conditions({ ...none, gone: true })).toThrow('--gone needs a condition');
  expect(() => conditions({ ...none, sizeAbove: 1, port: [1] })).toThrow(
    '--size-above needs --file',
  );
});
