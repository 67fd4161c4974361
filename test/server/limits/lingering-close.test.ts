import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { promise } from '../../support/run/promise.js';

const MIB = 2 ** 20;

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app.close());

/** Sends the begin of a body without end. */
async function begin(): Promise<Socket> {
  const socket = connect({ port: app.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    'POST /api/projects HTTP/1.1',
    'host: localhost',
    `authorization: Bearer ${app.world.key}`,
    ...['content-type: application/json', 'transfer-encoding: chunked'],
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return socket;
}

/** Also for a socket that was reset. */
function closed(socket: Socket): Promise<void> {
  return new Promise((done) => (socket.closed ? done() : socket.once('close', () => done())));
}

const chunk = `100000\r\n${' '.repeat(MIB)}\r\n`;

it('a client that sends a body which is too large, and only then reads, gets its answer', async () => {
  const socket = await begin();
  socket.pause();
  for (let sent = 0; sent < 14; sent++) {
    await new Promise((done) => socket.write(chunk, done));
    // The answer was sent long before the end of the body.
    await sleep(sent < 9 ? 0 : 50);
  }
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  socket.end();
  await closed(socket.resume());
  expect(text).toMatch(/^HTTP\/1\.1 413 /);
});

promise(29, 'a refused body is read for a bounded time and number of bytes', async (report) => {
  const endless = await begin();
  let sent = 0;
  const more = (failure?: Error | null) => {
    if (failure || sent === 200) return;
    sent += 1;
    endless.write(chunk, more);
  };
  more();
  await closed(endless.resume());
  expect(sent).toBeLessThan(40);
  const silent = await begin();
  for (let i = 0; i < 9; i++) silent.write(chunk);
  const startedAt = performance.now();
  const writing = setInterval(() => silent.write('1\r\nx\r\n'), 100);
  await closed(silent.resume());
  clearInterval(writing);
  const seconds = (performance.now() - startedAt) / 1000;
  expect(seconds).toBeLessThan(4);
  report(`closed after ${sent} MiB, and after ${seconds.toFixed(1)} s`);
});
