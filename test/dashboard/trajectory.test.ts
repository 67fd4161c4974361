import { expect, it } from 'vitest';
import { clock } from '../../src/dashboard/app/pages/trajectory/model/clock.js';
import { replayCommands } from '../../src/dashboard/app/pages/trajectory/model/commands.js';
import { inOrder, lastDue } from '../../src/dashboard/app/pages/trajectory/model/order.js';
import {
  inputOf,
  percent,
  pointerAfter,
} from '../../src/dashboard/app/pages/trajectory/model/points.js';
import {
  detailsOf,
  inWords,
  outcomeOf,
  textOf,
} from '../../src/dashboard/app/pages/trajectory/model/sentences.js';

const step = (
  number: number,
  at: number,
  action: Record<string, unknown> = { action: 'move' },
) => ({
  ...{ step: number, at, took: 0.1, action, outcome: 'ok', before: null, after: null },
});

it.each([
  [{ action: 'click', x: 640, y: 400, button: 'left', clicks: 1 }, 'Click at 640, 400'],
  [{ action: 'click', x: 1, y: 2, button: 'right', clicks: 2 }, 'Double right-click at 1, 2'],
  [{ action: 'click', x: 1, y: 2, clicks: 2 }, 'Double-click at 1, 2'],
  [{ action: 'click', x: 1, y: 2, keys: ['ctrl'] }, 'Click at 1, 2 while ctrl is held'],
  [{ action: 'click', element: 'e' }, 'Click an element'],
  [{ action: 'drag', start_x: 1, start_y: 2, end_x: 3, end_y: 4 }, 'Drag from 1, 2 to 3, 4'],
  [{ action: 'scroll', direction: 'down', amount: 3 }, 'Scroll down 3 steps'],
  [{ action: 'scroll', delta_y: -100, x: 5, y: 6 }, 'Scroll by 0, -100 pixels at 5, 6'],
  [{ action: 'mouse_up' }, 'Release the left button'],
  [{ action: 'type', text: 'hello\n' }, 'Type “hello”'],
  [{ action: 'type', text: 'one\ntwo' }, 'Type “one…”'],
  [{ action: 'type', text_length: 1 }, 'Type 1 character'],
  [{ action: 'key', key: 'ctrl+s', repeat: 2 }, 'Press ctrl+s 2 times'],
  [{ action: 'key' }, 'Press a key'],
  [{ action: 'bash', command: 'ls' }, 'Run ls'],
  [{ action: 'bash', command_length: 2 }, 'Run a command'],
  [{ action: 'wait', until: '{"command":"ls"}' }, 'Wait for a command'],
  [{ action: 'set_clipboard', text: 'x' }, 'Put “x” on the clipboard'],
  [{ action: 'a_new_one', x: 'hostile' }, 'A new one'],
  [{}, 'Undefined'],
])('says what %j did', (action, words) => {
  expect(inWords(action)).toBe(words);
});

it('shows no character that reverses or hides the words around it', () => {
  expect(inWords({ action: 'type', text: 'a\u202eb' })).toBe('Type “a\ufffdb”');
  expect(detailsOf({ action: 'bash', cwd: 'a\u200bb' })).toEqual([['cwd', 'a\ufffdb']]);
});

it('shows texts as a whole, and other fields beside them', () => {
  expect(textOf({ action: 'exec', code: 'a\nb' })).toBe('a\nb');
  expect(textOf({ action: 'type', text: 7 })).toBeUndefined();
  const action = { action: 'bash', command: 'ls', env: ['A', 'B'], timeout: 5, x: 1 };
  expect(detailsOf(action)).toEqual([
    ['env', 'A, B'],
    ['timeout', '5'],
  ]);
});

it('says how a step ended', () => {
  expect(outcomeOf(step(1, 0))).toBe('done');
  expect(outcomeOf({ ...step(1, 0), outcome: 'off_screen' })).toBe('off screen');
  expect(outcomeOf({ ...step(1, 0), outcome: 'failed' })).toBe('reached its time limit');
});

it('finds the places of an action, and nothing in values that are none', () => {
  const drag = { action: 'drag', start_x: 1, start_y: 2, path: [[3, 4]], end_x: 5, end_y: 6 };
  expect(inputOf(drag).points).toEqual([
    ...[{ x: 1, y: 2 }],
    ...[{ x: 3, y: 4 }],
    ...[{ x: 5, y: 6 }],
  ]);
  expect(inputOf({ action: 'click', x: 1, y: 2, clicks: 1e9 })).toEqual({
    ...{ points: [{ x: 1, y: 2 }], clicks: 3 },
  });
  expect(inputOf({ action: 'click', x: '1', y: null, path: ['a', 1, null, [1]] }).points).toEqual(
    [],
  );
  expect(inputOf({ action: 'scroll', direction: 'left' }).turn).toBe(270);
  expect(inputOf({ action: 'scroll', delta_y: 10 }).turn).toBe(180);
  expect(percent(320, 1280)).toBe('25.000%');
});

it('knows where the pointer is after several actions', () => {
  const moved = { action: 'move', x: 1, y: 2 };
  expect(pointerAfter([moved, { action: 'key', key: 'a' }])).toEqual({ x: 1, y: 2 });
  expect(pointerAfter([{ action: 'key', key: 'a' }])).toBeUndefined();
});

it('orders the steps as they began, and plays each at its time', () => {
  const [one, two, three] = [step(1, 0), step(2, 1), step(3, 5)];
  const steps = inOrder([one, three], [two]);
  expect(steps.map((each) => each.step)).toEqual([1, 2, 3]);
  expect([0, 0.9, 1, 4.9, 60].map((time) => lastDue(steps, 0, time))).toEqual([0, 0, 1, 1, 2]);
  expect(lastDue(steps, 2, 0)).toBe(2);
});

it('shows times and commands that can be copied', () => {
  expect([0, 59.96, 62.4, 3662.44].map(clock)).toEqual(['0:00.0', '1:00.0', '1:02.4', '1:01:02.4']);
  const typed = step(1, 0, { action: 'type', text: '{{secret:PIN}}', secrets: ['PIN', 'PIN'] });
  expect(replayCommands("demo/it's", [typed, step(2, 1)])).toEqual([
    "vc computer trajectory 'demo/it'\\''s' -o trajectory",
    "vc computer replay 'demo/it'\\''s' trajectory --secret PIN",
  ]);
});
