import { expect, test } from 'vitest';
import { DIALECTS } from '../../../src/contract/constants.js';
import type { UseCall } from '../../../src/fleet/computer-use/actions.js';
import { dialects, readTurn } from '../../../src/fleet/computer-use/dialects/index.js';
import { recorded } from './recorded.js';

const left = { button: 'left', clicks: 1 };

function only(items: readonly unknown[], name?: (typeof DIALECTS)[number]): UseCall {
  const [call] = readTurn(items, name).calls;
  if (call === undefined) throw new Error('no call was read');
  return call;
}

test.each(recorded.map((row) => [row.dialect, row.member, row] as const))(
  '%s: %s',
  (dialect, _, { item, actions }) => {
    const name = dialect as (typeof DIALECTS)[number];
    const read = only([item], name).actions;
    expect(JSON.parse(JSON.stringify(read))).toEqual(actions);
    // Its envelope alone says which dialect it is, except for text.
    if (dialect !== 'ui-tars') expect(only([item]).actions).toEqual(read);
  },
);

test('every dialect has recorded calls and a declaration', () => {
  expect([...new Set(recorded.map(({ dialect }) => dialect))].sort()).toEqual([...DIALECTS].sort());
  const facts = { picture: { width: 1280, height: 800 }, os: 'linux', hasShell: true } as const;
  for (const name of DIALECTS) expect(dialects[name].tools(facts).length).toBeGreaterThan(0);
  expect(dialects['anthropic-20251124'].tools({ ...facts, hasShell: false })).toEqual([
    {
      type: 'computer_20251124',
      name: 'computer',
      enable_zoom: true,
      display_width_px: 1280,
      display_height_px: 800,
    },
  ]);
});

test('an older version of a tool has not the members of later ones', () => {
  const item = {
    type: 'tool_use',
    id: 'a',
    name: 'computer',
    input: { action: 'zoom', region: [0, 0, 1, 1] },
  };
  expect(only([item], 'anthropic-20250124').actions).toEqual({
    error: 'There is no action "zoom".',
  });
});

test('what is between calls is ignored', () => {
  const [call] = [recorded.find(({ dialect }) => dialect === 'openai')?.item];
  const { calls } = readTurn([{ type: 'reasoning', id: 'rs_1', summary: [] }, call], undefined);
  expect(calls).toHaveLength(1);
});

test.each([
  [
    'a bare action without a dialect',
    [{ type: 'click', x: 1, y: 2, button: 'left' }],
    undefined,
    'dialect',
  ],
  ['an action of Anthropic without a dialect', [{ action: 'screenshot' }], undefined, 'dialect'],
  ['an unknown envelope', [{ type: 'robot_call', id: 'x' }], undefined, 'dialect'],
  [
    'another tool',
    [{ type: 'tool_use', id: 'a', name: 'weather', input: {} }],
    'anthropic',
    'items.0',
  ],
  [
    'two dialects',
    [
      { type: 'computer_call', call_id: 'a', actions: [] },
      { type: 'tool_use', id: 'b', name: 'screenshot', toolset_name: 'computer', input: {} },
    ],
    undefined,
    'items.1',
  ],
  [
    'the same id twice',
    [
      { type: 'computer_call', call_id: 'a', actions: [] },
      { type: 'computer_call', call_id: 'a', actions: [] },
    ],
    undefined,
    'same id',
  ],
] as const)('refuses %s', (_, items, dialect, message) => {
  expect(() => readTurn(items, dialect)).toThrow(
    expect.objectContaining({ code: 'invalid_request' }),
  );
  try {
    readTurn(items, dialect);
  } catch (error) {
    const { message: why, remedy } = error as { message: string; remedy?: string };
    expect(`${why} ${remedy}`).toContain(message);
  }
});

test('a bare action is read in the dialect that was named', () => {
  expect(only([{ type: 'click', x: 1, y: 2, button: 'left' }], 'openai').actions).toHaveLength(1);
  expect(only([{ action: 'screenshot' }], 'anthropic').actions).toEqual([{ does: 'screenshot' }]);
  expect(only([{ name: 'move', args: { x: 1, y: 2 } }], 'gemini').actions).toHaveLength(1);
  expect(only([{ action: 'wait', time: 1 }], 'qwen').actions).toHaveLength(1);
});

test.each([
  ['openai', { type: 'click', x: 'left', y: 2, button: 'left' }, /^x: /],
  ['openai', { type: 'drag', path: [] }, /^path/],
  ['openai', { type: 'keypress', keys: [] }, /^keys: /],
  ['anthropic', { action: '__proto__' }, /There is no action/],
  ['anthropic', { action: 'wait', duration: 1e9 }, /^duration: /],
  ['anthropic', { action: 'left_click', coordinate: [1] }, /^coordinate/],
  ['gemini', { name: 'constructor', args: {} }, /There is no action/],
  ['ui-tars', 'Action: explode()', /There is no action/],
  ['ui-tars', "Action: click(start_box='here')", /start_box/],
  ['ui-tars', `Action: ${'wait()\n'.repeat(50)}`, /At most/],
] as const)('%s: %j is an error of the call', (dialect, item, message) => {
  expect(only([item], dialect).actions).toEqual({ error: expect.stringMatching(message) });
});

const calls = (actions: (index: number) => object) =>
  Array.from({ length: 50 }, (_, i) => ({
    type: 'computer_call',
    call_id: `c${i}`,
    ...actions(i),
  }));
const paths = (length: number, point: unknown) =>
  calls(() => ({ action: { type: 'drag', path: Array(length).fill(point) } }));
const wide = Object.fromEntries(Array.from({ length: 3900 }, (_, i) => [`a${i}`, 0]));

test.each([
  ['wrong points', paths(1000, 0), /^path\.0: /],
  ['too many points', paths(7900, 0), /^path: .*1000/],
  ['right points', paths(1000, { x: 1, y: 1 }), undefined],
  [
    'actions with many fields',
    calls((i) => ({ actions: Array(i === 0 ? 100 : 0).fill({ ...wide, type: 'screenshot' }) })),
    undefined,
  ],
])('openai: the largest calls with %s are read', (_, items, error) => {
  const { calls } = readTurn(items, 'openai');
  expect(calls).toHaveLength(50);
  for (const { actions } of calls) {
    if (error === undefined) expect(actions).not.toHaveProperty('error');
    else expect(actions).toEqual({ error: expect.stringMatching(error) });
  }
});

test('openai: the points of a drag have two numbers', () => {
  const drag = (...path: readonly unknown[]) => only([{ type: 'drag', path }], 'openai').actions;
  const point = { x: 1.5, y: 2 };
  expect(drag(point, point)).toEqual([{ does: 'drag', points: [point, point] }]);
  for (const wrong of [
    { x: 1e6, y: 1 },
    { x: 'left', y: 1 },
  ])
    expect(drag(point, wrong)).toEqual({ error: expect.stringMatching(/^path\.1\.x: /) });
  expect(drag(point, [1, 2])).toEqual({ error: expect.stringMatching(/^path\.1: /) });
});

test('the texts of a turn are bounded in all', () => {
  const text = `Action: click(start_box='(1,2)')${' '.repeat(100_000)}`;
  for (const item of [text, { role: 'assistant', content: text }]) {
    expect(readTurn([item], 'ui-tars').calls).toHaveLength(1);
    expect(() => readTurn([item, item], 'ui-tars')).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: expect.stringMatching(/^items: .*200,000 characters/),
      }),
    );
  }
});

test('what is between calls does not count', () => {
  const item = { type: 'tool_use', id: 'a', name: 'computer', input: { action: 'screenshot' } };
  const text = { type: 'text', text: 'a'.repeat(300_000) };
  expect(readTurn([text, item], 'anthropic-20250124').calls).toHaveLength(1);
});

test.each([
  [`type(content='${'a'.repeat(100_001)}')`, /^content: .*100,000/],
  [`hotkey(key='${'a '.repeat(50_000)}')`, /^key: /],
  [`click(start_box='${'1 '.repeat(50_000)}')`, /^start_box/],
])('ui-tars: an argument that is too long is an error of the call', (action, message) => {
  expect(only([`Action: ${action}`], 'ui-tars').actions).toEqual({
    error: expect.stringMatching(message),
  });
});

test.each([
  ['checks', { pending_safety_checks: Array(399_000).fill(0) }],
  ['right checks', { pending_safety_checks: Array(100_000).fill({ id: 'a' }) }],
  ['actions', { actions: Array(399_000).fill(0) }],
  ['no call id', { call_id: 0, actions: Array(399_000).fill(0) }],
])('openai: too many %s are refused before each is read', (_, wrong) => {
  const item = { type: 'computer_call', call_id: 'a', action: { type: 'screenshot' }, ...wrong };
  expect(() => readTurn([item], 'openai')).toThrow('is no call of this tool');
});

const qwenCall = (id: string, args: string) => ({
  id,
  type: 'function',
  function: { name: 'computer_use', arguments: args },
});

test('qwen: arguments that are texts count as text, and have few values', () => {
  const text = JSON.stringify({ action: 'type', text: 'x'.repeat(99_000) });
  const turn = (calls: number) =>
    readTurn(
      Array.from({ length: calls }, (_, at) => qwenCall(`${at}`, text)),
      'qwen',
    ).calls;
  expect(turn(2)).toHaveLength(2);
  expect(() => turn(3)).toThrow('items: have more than 200,000 characters of text in all.');
  const values = JSON.stringify({ action: 'wait', time: 1, more: Array(60_000).fill([]) });
  expect(only([qwenCall('a', values)], 'qwen').actions).toEqual({
    error: 'The arguments are not a JSON object.',
  });
});

test.each([
  ["click(point='<point>510 150</point>')", { does: 'click', at: { x: 510, y: 150 }, ...left }],
  [
    "left_double(point='<point>1 2</point>')",
    { ...left, does: 'click', at: { x: 1, y: 2 }, clicks: 2 },
  ],
  [
    "drag(start_point='<point>1 2</point>', end_point='<point>3 4</point>')",
    {
      does: 'drag',
      points: [
        { x: 1, y: 2 },
        { x: 3, y: 4 },
      ],
    },
  ],
  [
    "scroll(point='<point>1 2</point>', direction='up')",
    { does: 'scroll', at: { x: 1, y: 2 }, direction: 'up', steps: 5 },
  ],
])('ui-tars: reads the points of %s', (call, action) => {
  expect(only([`Thought: it is there.\nAction: ${call}`], 'ui-tars').actions).toEqual([action]);
});

test.each([
  ["I'm here", "I'm here"],
  ["'quoted' and (more='x')", "'quoted' and (more='x')"],
  ['Action: none', 'Action: none'],
  ['one\nAction: two', 'one\nAction: two'],
  ['one\ntwo', 'one\ntwo'],
  ['one\\ntwo\\\\n', 'one\ntwo\\n'],
  ['C:\\Users', 'C:\\Users'],
  ["it\\'s", "it's"],
  ['a, b', 'a, b'],
  ['', ''],
])('ui-tars: types %j whole', (content, text) => {
  const item = `Thought: I type. The Action: follows.\nAction: type(content='${content}')`;
  expect(only([item], 'ui-tars').actions).toEqual([{ does: 'type', text }]);
});

test.each([
  "type(content='print('a')\nprint('b')')",
  "type(content='she said 'hello', more='x'')",
  "type(content='a', content='b')",
  "type(content='never closed)",
  "type(content='a'",
  "type('a')",
  "type(content='a') and more",
  "click(start_box='(1,2)' type(content='a')",
  "type(content='a')\nThought: next\nAction: type(content='b')",
])('ui-tars: %j is an error, and nothing of it is typed', (call) => {
  expect(only([`Action: ${call}`], 'ui-tars').actions).toEqual({ error: expect.any(String) });
});
