import { expect, it } from 'vitest';
import {
  atPoint,
  type RecordedAction,
  written,
} from '../../../src/fleet/trajectories/recorded-action.js';

const click = { action: 'click', element: '2c6e3adb-1.8-72', button: 'left' } as RecordedAction;
const screen = { width: 1280, height: 800 };

it('writes a click on an element as one on the place where the element was', () => {
  expect(
    written(atPoint({ ...click, scale: 0.5 } as RecordedAction, { x: 3, y: 4 }), screen),
  ).toEqual({
    action: 'click',
    x: 3,
    y: 4,
    button: 'left',
    clicks: 1,
  });
});

it('leaves other actions, and a click on an element that was not found', () => {
  expect(atPoint(click, undefined)).toBe(click);
  const key = { action: 'key', key: 'Enter' } as RecordedAction;
  expect(atPoint(key, { x: 3, y: 4 })).toBe(key);
});
