import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';

const MIB = 2 ** 20;

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app.close());

/** A client that sends bytes and reads nothing. */
async function sendOnly(bytes: string): Promise<Socket> {
  const socket = connect(app.port, '127.0.0.1');
  socket.pause().on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
}

function connections(): Promise<number> {
  return new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)));
}

promise(
  29,
  'requests without a key whose answers are not read take little memory',
  async (report) => {
    const paths = ['/api/view/assets/view.js', '/api/openapi.json', '/api/docs'];
    for (const path of paths) await app.send('GET', path, { authorization: null });
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    const sockets = await Promise.all(
      Array.from({ length: 6 }, (_, i) => sendOnly(get(paths[i % 3] ?? '').repeat(300))),
    );
    await eventually(async () => (await connections()) <= 1);
    const now = process.memoryUsage();
    const growth = Math.round((now.arrayBuffers - arrayBuffers + now.heapUsed - heapUsed) / MIB);
    expect(growth).toBeLessThan(60);
    report(`1,800 requests in 6 connections: all closed, +${growth} MiB`);
    for (const socket of sockets) socket.destroy();
  },
);

it('answers a few requests that are sent at once on one connection', async () => {
  // It stays open: Node.js ends one that its client has ended before answers that wait for their turn.
  const socket = connect(app.port, '127.0.0.1');
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  socket.write(get('/api/health').repeat(4));
  await eventually(async () => text.match(/200 OK/g)?.length === 4);
  socket.destroy();
});
