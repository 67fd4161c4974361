import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { ComputerUse as Body } from '../../../src/contract/actions/computer-use.js';
import { CreateComputer } from '../../../src/contract/resources.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import type { ComputerRecord } from '../../../src/fleet/store/records.js';
import type { FakeScreen } from '../../support/fake-connectors.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';

let world: TestFleet;
let by: Owner;
let record: ComputerRecord;
let screen: FakeScreen;
let next = 0;

beforeAll(async () => {
  world = await openTestFleet();
  by = world.fleet.apiKeys.authenticate(world.key) ?? { id: '', keyId: '' };
  const project = world.fleet.projects.find(by, world.fleet.projects.create(by, 'p').id);
  const input = CreateComputer.parse({ name: 'a' });
  await world.fleet.computers.create(by, project, input, 'ready');
  record = world.fleet.computers.find(by, { project: 'p', name: 'a' });
  await world.fleet.actions.facts(record);
  screen = world.connectors.screens.at(-1) as FakeScreen;
});
beforeEach(() => {
  screen.inputs.length = 0;
  // Another key has not been shown a picture.
  next += 1;
  by = { ...by, keyId: `key_${next}` };
});
afterAll(() => world.close());

const use = (
  items: readonly object[],
  more: Partial<z.input<typeof Body>> = {},
  signal?: AbortSignal,
) =>
  world.fleet.computerUse.use({
    record,
    by,
    signal,
    body: Body.parse({ items, settle: false, ...more }),
  });

const toolUse = (id: string, name: string, input: object = {}) => ({
  type: 'tool_use',
  id,
  name,
  input,
  toolset_name: 'computer',
});
const computerCall = (id: string, actions: object[], checks: object[] = []) => ({
  type: 'computer_call',
  call_id: id,
  actions,
  pending_safety_checks: checks,
});
/** Runs `work` with another size of the screen. */
async function resized(size: object, work: () => Promise<void>) {
  const before = { ...screen.size };
  Object.assign(screen.size, size);
  await work().finally(() => Object.assign(screen.size, before));
}

test('a turn runs in order and each call is answered in the shape of its vendor', async () => {
  const { success, results } = await use([
    toolUse('1', 'left_click', { coordinate: [3, 4], text: 'shift' }),
    toolUse('2', 'type', { text: 'hi' }),
    toolUse('3', 'cursor_position'),
    toolUse('4', 'screenshot'),
  ]);
  expect(success).toBe(true);
  expect(screen.inputs).toEqual(['left x1 3,4', 'type hi']);
  const answer = (id: string, ...content: object[]) => ({
    type: 'tool_result',
    tool_use_id: id,
    toolset_name: 'computer',
    content,
  });
  const ok = { type: 'text', text: 'OK' };
  expect(results).toEqual([
    answer('1', ok),
    answer('2', ok),
    answer('3', { type: 'text', text: 'X=640, Y=400' }),
    answer('4', { type: 'image', source: expect.objectContaining({ media_type: 'image/png' }) }),
  ]);
});

test('after a failure the rest of the turn is answered and not carried out', async () => {
  const { success, results } = await use([
    toolUse('1', 'type', { text: 'a' }),
    toolUse('2', 'key', { text: 'Retrun' }),
    toolUse('3', 'type', { text: 'b' }),
  ]);
  expect(success).toBe(false);
  expect(screen.inputs).toEqual(['type a']);
  expect(results).toMatchObject([
    { tool_use_id: '1' },
    {
      tool_use_id: '2',
      is_error: true,
      content: [{ text: expect.stringMatching(/^Unknown key/) }],
    },
    {
      tool_use_id: '3',
      is_error: true,
      content: [{ text: 'Not executed: an earlier computer action in this turn failed.' }],
    },
  ]);
});

test('an unknown member is answered as an error, and nothing is done', async () => {
  const { results } = await use([toolUse('1', 'teleport')]);
  const content = [{ type: 'text', text: 'There is no action "teleport".' }];
  expect(results).toMatchObject([{ is_error: true, content }]);
});

test('half of a batch that failed is answered with a picture and the model is told', async () => {
  const { success, results } = await use([
    computerCall('1', [
      { type: 'type', text: 'x' },
      { type: 'click', x: 5000, y: 1, button: 'left' },
    ]),
    computerCall('2', [{ type: 'type', text: 'y' }]),
  ]);
  expect(success).toBe(false);
  // Its points are checked before the first action runs.
  expect(screen.inputs).toEqual([]);
  expect(results.map((item) => (item as { type: string }).type)).toEqual([
    'computer_call_output',
    'message',
    'computer_call_output',
    'message',
  ]);
  expect(results[1]).toMatchObject({ content: [{ text: /outside/ }] });
});

describe('a repeated turn', () => {
  test('has the same results and types nothing twice', async () => {
    const turn = [computerCall('1', [{ type: 'type', text: 'once' }])];
    const [first, second] = await Promise.all([use(turn), use(turn)]);
    const third = await use(turn);
    expect(screen.inputs).toEqual(['type once']);
    expect([second.results, third.results]).toEqual([first.results, first.results]);
    expect([first, second, third].map(({ replayed }) => replayed)).toEqual([undefined, true, true]);
  });

  test('is carried out again in another run', async () => {
    const turn = [toolUse('1', 'type', { text: 'a' })];
    await use(turn, { run: 'first' });
    expect(await use(turn, { run: 'second' })).not.toHaveProperty('replayed');
    expect(screen.inputs).toEqual(['type a', 'type a']);
    expect(await use(turn, { run: 'first' })).toHaveProperty('replayed', true);
  });

  test('is refused with other content under the same id', async () => {
    await use([toolUse('1', 'type', { text: 'a' })]);
    await expect(use([toolUse('1', 'type', { text: 'b' })])).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(screen.inputs).toEqual(['type a']);
  });

  test('after an interruption says so instead of typing again', async () => {
    const leaving = new AbortController();
    const turn = [toolUse('1', 'wait', { duration: 30 }), toolUse('2', 'type', { text: 'a' })];
    const left = use(turn, {}, leaving.signal);
    setTimeout(() => leaving.abort(), 20);
    await expect(left).rejects.toThrow();
    const { results } = await use(turn);
    expect(results).toMatchObject([{ is_error: true }, { is_error: true }]);
    expect(screen.inputs).toEqual([]);
  });
});

describe('coordinates', () => {
  test('belong to the last picture shown to that key', async () => {
    await resized({ width: 2560, height: 1600 }, async () => {
      // The screen's picture has 1280 pixels, as the fake has.
      await use([toolUse('a', 'screenshot')]);
      await use([toolUse('b', 'mouse_move', { coordinate: [100, 200] })]);
      // Another key was shown none, so its points are those of the picture that it would get.
      await use([toolUse('c', 'mouse_move', { coordinate: [100, 200] })]);
    });
    expect(screen.inputs).toEqual(['move 200,400', 'move 200,400']);
  });

  test('outside of it are an error, never moved to the edge', async () => {
    for (const coordinate of [
      [1280, 0],
      [0, 800],
      [-1, 0],
    ]) {
      const { results } = await use([toolUse(`p${coordinate}`, 'left_click', { coordinate })]);
      expect(results).toMatchObject([{ is_error: true }]);
    }
    for (const region of [
      [0, 0, 1281, 10],
      [10, 10, 10, 20],
    ]) {
      const { results } = await use([toolUse(`z${region}`, 'zoom', { region })]);
      expect(results).toMatchObject([{ is_error: true }]);
    }
    const far = { type: 'function_call', id: 'g', name: 'click', arguments: { x: 1000, y: 5 } };
    expect((await use([far])).results).toMatchObject([{ is_error: true }]);
    expect(screen.inputs).toEqual([]);
  });

  test('out of a thousand are those of the screen', async () => {
    const call = (x: number, y: number) => ({ functionCall: { name: 'move', args: { x, y } } });
    await use([call(0, 0), call(500, 500), call(999, 999)]);
    expect(screen.inputs).toEqual(['move 0,0', 'move 640,400', 'move 1279,799']);
  });

  test('are refused with a new picture when the screen has changed its size', async () => {
    const click = (id: string) => computerCall(id, [{ type: 'click', x: 5, y: 5, button: 'left' }]);
    await use([computerCall('a', [])]);
    await resized({ width: 1000 }, async () => {
      const stale = await use([click('b')]);
      expect(stale.results).toMatchObject([{ type: 'computer_call_output' }, { role: 'user' }]);
      expect(JSON.stringify(stale.results)).toContain('was 1280x800 in the last picture');
      expect(stale.frames).toHaveLength(1);
      expect(screen.inputs).toEqual([]);
      expect((await use([click('c')])).success).toBe(true);
    });
  });

  test('are refused until the model has taken a screenshot, where errors have no picture', async () => {
    await use([toolUse('a', 'screenshot')]);
    await resized({ width: 1000 }, async () => {
      for (const id of ['b', 'c']) {
        const stale = await use([toolUse(id, 'left_click', { coordinate: [5, 5] })]);
        const text = expect.stringMatching(/was 1280x800 in the last.*Take a screenshot/);
        // The vendor accepts nothing but text with `is_error`.
        expect(stale.results).toMatchObject([{ is_error: true, content: [{ text }] }]);
      }
      expect(screen.inputs).toEqual([]);
      const turn = [toolUse('d', 'screenshot'), toolUse('e', 'left_click', { coordinate: [5, 5] })];
      expect((await use(turn)).success).toBe(true);
    });
  });
});

describe('a safety check', () => {
  const check = { id: 'sc_1', code: 'malicious_instructions', message: 'A payment.' };
  const turn = [
    computerCall('1', [{ type: 'type', text: 'before' }]),
    computerCall('2', [{ type: 'type', text: 'after' }], [check]),
  ];

  test('is never acknowledged by the service', async () => {
    const { success, results, confirm } = await use(turn);
    expect([success, results.length]).toEqual([false, 1]);
    expect(confirm).toEqual([{ call_id: '2', ...check }]);
    expect(screen.inputs).toEqual(['type before']);
    const goesOn = await use(turn, { acknowledge: ['sc_1'] });
    expect(screen.inputs).toEqual(['type before', 'type after']);
    expect(goesOn.results).toMatchObject([{}, { acknowledged_safety_checks: [check] }]);
  });

  test('of Gemini is answered with its acknowledgement', async () => {
    const args = {
      text: 'x',
      safety_decision: { decision: 'require_confirmation', explanation: 'Why' },
    };
    const call = { type: 'function_call', id: 'c', name: 'type', arguments: args };
    expect((await use([call])).confirm).toEqual([{ call_id: 'c', id: 'c', message: 'Why' }]);
    const { results } = await use([call], { acknowledge: ['c'] });
    expect(JSON.stringify(results)).toContain('safety_acknowledgement');
    expect(screen.inputs).toEqual(['type x']);
  });
});

test('a turn does not wait longer than 300 s in all', async () => {
  const turn = ['1', '2'].map((id) => toolUse(id, 'hold_key', { text: 'a', duration: 200 }));
  const { results } = await use(turn.slice(1).concat(toolUse('3', 'wait', { duration: 200 })));
  expect(results).toMatchObject([{}, { is_error: true }]);
});

test('a computer that is stopped is an error of the request', async () => {
  const gone = { ...record, id: 'cmp_none' };
  const body = Body.parse({ items: [toolUse('1', 'screenshot')] });
  await expect(world.fleet.computerUse.use({ record: gone, by, body })).rejects.toMatchObject({
    code: 'not_found',
  });
});
