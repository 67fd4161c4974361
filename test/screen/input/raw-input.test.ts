import { expect, test } from 'vitest';
import { openScreen } from '../../../src/screen/index.js';
import type { Keyboard } from '../../../src/screen/input/keyboard/keyboard.js';
import type { Pointer } from '../../../src/screen/input/pointer.js';
import { RawInput } from '../../../src/screen/input/raw-input.js';
import type { Connection } from '../../../src/screen/rfb/connection.js';
import { type FakeOptions, FakeServer } from '../fake-server.js';

async function open(can: FakeOptions['can']) {
  const server = new FakeServer({ can });
  const screen = await openScreen(server.client);
  await new Promise((resolve) => setTimeout(resolve, 20));
  server.received.length = 0;
  return { server, screen, raw: screen.raw };
}

/** Key events by scan code, without those that keep the server awake. */
const scancodes = (server: FakeServer) =>
  server.received.flatMap((received) =>
    received.kind === 'scancode' && received.scancode !== 0
      ? [`${received.down ? '+' : '-'}${received.scancode.toString(16)}`]
      : [],
  );

const SHIFT = 0xffe1;
const CONTROL = 0xffe3;

test('forwards events in order, and tracks held keys and buttons', async () => {
  const { server, raw } = await open(['fences']);
  await raw.pointer(3, 4, 1);
  await raw.key('press', SHIFT);
  expect(raw.holding).toBe(true);
  await raw.key('release', SHIFT);
  await raw.pointer(9, 9, 1);
  await raw.pointer(9, 9, 0);
  expect(raw.holding).toBe(false);
  await raw.flush();
  expect(server.pointers()).toEqual(['3,4,0', '3,4,1', '9,9,1', '9,9,0']);
  expect(server.keys()).toEqual(['+ffe1', '-ffe1']);
});

test('releases all held keys and buttons, in reverse order', async () => {
  const { server, raw } = await open(['fences']);
  await raw.key('press', CONTROL);
  await raw.key('press', 0x61);
  await raw.pointer(1, 1, 4);
  await raw.release();
  await raw.release();
  await raw.key('release', 0x61);
  await raw.flush();
  expect(server.keys()).toEqual(['+ffe3', '+61', '-61', '-ffe3']);
  expect(server.pointers()).toEqual(['1,1,0', '1,1,4', '1,1,0']);
});

test('clamps points to the screen', async () => {
  const { server, raw } = await open(['fences']);
  await raw.pointer(65535, 65535, 0);
  await raw.flush();
  expect(server.pointers()).toEqual(['63,47,0']);
});

test("an emulated keyboard types the intended character, with or without the viewer's Shift", async () => {
  const { server, raw } = await open(['scancodes']);
  // A German layout: Shift+7 is a slash, which has a key of its own here.
  await raw.key('press', SHIFT);
  await raw.key('press', 0x2f);
  await raw.key('release', 0x2f);
  await raw.key('release', SHIFT);
  // A layout with a key for the question mark.
  await raw.key('press', 0x3f);
  await raw.key('release', 0x3f);
  await raw.flush();
  expect(scancodes(server)).toEqual([
    '+2a',
    '-2a',
    '+35',
    '+2a',
    '-35',
    '-2a',
    '+2a',
    '+35',
    '-2a',
    '-35',
  ]);
});

test('a key that an emulated keyboard lacks is dropped', async () => {
  const { server, raw } = await open(['scancodes']);
  await raw.key('press', 0x1008ff81);
  await raw.key('release', 0x1008ff81);
  expect(raw.holding).toBe(false);
  await raw.flush();
  expect(scancodes(server)).toEqual([]);
});

test('a text that is stopped sends no further keys, and its modifiers are held again', async () => {
  const { server, raw } = await open(['fences']);
  await raw.key('press', SHIFT);
  const stop = new AbortController();
  const typing = raw.type('a'.repeat(1000), stop.signal);
  await Promise.resolve();
  stop.abort();
  await typing;
  await raw.flush();
  expect(server.keys().slice(0, 2)).toEqual(['+ffe1', '-ffe1']);
  expect(server.keys().at(-1)).toBe('+ffe1');
  expect(server.keys().length).toBeLessThan(600);
});

test('a screenshot after a text waits for its effect', async () => {
  const pointer = {} as Pointer;
  const held = { writer: {} } as Keyboard;
  const order: string[] = [];
  const raw = new RawInput({} as Connection, pointer, held, {
    type: async () => void order.push('typed'),
    onInput: () => order.push('input'),
  });
  await raw.type('x');
  expect(order).toEqual(['typed', 'input']);
});
