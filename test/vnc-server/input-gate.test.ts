import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { deferred } from '../../src/lib/async/deferred.js';
import { Queue } from '../../src/lib/async/queue.js';
import { InputGate } from '../../src/vnc-server/input-gate.js';
import { FakeScreen } from '../support/fake-connectors.js';

function gate() {
  const screen = new FakeScreen();
  const turns = new Queue();
  const failures: unknown[] = [];
  const input = new InputGate(turns, screen.raw, (error) => failures.push(error));
  const pointer = (x: number, y: number, buttons: number) =>
    input.push({ kind: 'pointer', x, y, buttons });
  const key = (press: boolean, keysym: number) => input.push({ kind: 'key', press, keysym });
  return { screen, turns, input, pointer, key, failures };
}

test("a viewer's drag ends before another client's action starts", async () => {
  const { screen, turns, pointer } = gate();
  pointer(10, 10, 1);
  await sleep(5);
  const action = turns.run(async () => void screen.inputs.push('action'));
  pointer(20, 20, 1);
  await sleep(5);
  pointer(30, 30, 1);
  await sleep(5);
  pointer(30, 30, 0);
  await action;
  expect(screen.inputs).toEqual([
    'pointer 10,10 1',
    'pointer 20,20 1',
    'pointer 30,30 1',
    'pointer 30,30 0',
    'action',
  ]);
});

test("an action ends before a viewer's input starts", async () => {
  const { screen, turns, pointer, key } = gate();
  const action = turns.run(async () => {
    screen.inputs.push('begin');
    await sleep(30);
    screen.inputs.push('end');
  });
  await sleep(5);
  for (let x = 0; x < 1000; x++) pointer(x, 5, 0);
  key(true, 0x61);
  key(false, 0x61);
  await action;
  await turns.run(async () => {});
  expect(screen.inputs, 'of moves that wait only the last counts').toEqual([
    'begin',
    'end',
    'pointer 999,5 0',
    'press 61',
    'release 61',
  ]);
});

test('a composed text is typed between the keys before and after it', async () => {
  const { screen, turns, input, key } = gate();
  key(true, 0x61);
  key(false, 0x61);
  input.push({ kind: 'text', text: '你好' });
  key(true, 0xff0d);
  key(false, 0xff0d);
  await turns.run(async () => {});
  expect(screen.inputs).toEqual([
    ...['press 61', 'release 61', 'type 你好', 'press ff0d', 'release ff0d'],
  ]);
});

test('held keys and buttons are released when the viewer disconnects', async () => {
  const { screen, turns, input, key } = gate();
  key(true, 0xffe1);
  await sleep(5);
  input.close();
  await turns.run(async () => {});
  expect(screen.inputs).toEqual(['press ffe1', 'release all']);
  input.push({ kind: 'key', press: true, keysym: 0x61 });
  await sleep(5);
  expect(screen.inputs).toHaveLength(2);
});

test.each(['release', 'close'] as const)('a text that is being typed stops at %s', async (how) => {
  const { screen, turns, input, failures } = gate();
  const begun = deferred<void>();
  screen.raw.type = async (_, signal) => {
    begun.resolve();
    if (signal === undefined) throw new Error('nothing stops it');
    await once(signal, 'abort');
  };
  input.push({ kind: 'text', text: 'long' });
  await begun.promise;
  input[how]();
  await turns.run(async () => void screen.inputs.push('action'));
  expect(screen.inputs).toEqual(['action']);
  expect(failures).toEqual([]);
});

test('reports a screen that rejects the input', async () => {
  const { screen, turns, failures, key } = gate();
  screen.raw.flush = () => Promise.reject(new Error('frozen'));
  key(true, 0x61);
  await turns.run(async () => {});
  await sleep(1);
  expect(failures).toEqual([new Error('frozen')]);
  expect(screen.inputs.at(-1)).toBe('release all');
});
