import { Writable } from 'node:stream';
import { expect } from 'vitest';
import type { WebSocket } from 'ws';
import { forward } from '../../../src/server/websocket/computer-socket.js';
import { pour } from '../../../src/server/websocket/pour.js';
import { SocketBudget } from '../../../src/server/websocket/socket-budget.js';
import { fullKey } from '../../support/accounts/key-in-use.js';
import { promise } from '../../support/run/promise.js';

class Paused {
  isPaused = false;
  pause() {
    this.isPaused = true;
  }
  resume() {
    this.isPaused = false;
  }
}

promise(29, 'a client that sends single bytes to a slow process is paused', async (report) => {
  const socket = new Paused();
  const done: (() => void)[] = [];
  const target = new Writable({
    highWaterMark: 1 << 20,
    write: (_chunk, _encoding, written) => void done.push(written),
  });
  let held = 0;
  const write = pour(socket as unknown as WebSocket, target, (bytes) => {
    held += bytes;
  });
  let sent = 0;
  for (; !socket.isPaused; sent++) write(Buffer.of(1));
  report(`paused after ${sent} bytes`);
  expect(sent).toBeLessThan(1100);
  expect(held).toBeGreaterThan(256 * 1024);
  while (done.length > 0) {
    done.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(socket.isPaused).toBe(false);
  expect(held).toBe(0);
});

promise(29, 'few messages are queued for a client that does not read', async () => {
  const sent: (() => void)[] = [];
  const socket = { readyState: 1, OPEN: 1, bufferedAmount: 0, send: send };
  function send(_data: Buffer, done: () => void) {
    sent.push(done);
  }
  async function* output() {
    for (;;) yield Buffer.of(1);
  }
  const share = new SocketBudget(fullKey).open({ id: 'usr_a', keyId: 'key_a' });
  void forward({ socket: socket as unknown as WebSocket, share }, output());
  for (let turn = 0; turn < 2000; turn++) await Promise.resolve();
  expect(sent.length).toBeLessThanOrEqual(64);
  for (const done of sent.splice(0)) done();
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  expect(sent.length).toBeGreaterThan(0);
  socket.readyState = 3;
  for (const done of sent) done();
});
