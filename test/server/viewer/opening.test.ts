import { once } from 'node:events';
import { afterEach, beforeEach, expect } from 'vitest';
import { WebSocket } from 'ws';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { openViewer } from '../../support/viewer.js';

let app: TestApp;
beforeEach(async () => {
  app = await openTestApp();
});
afterEach(() => app.close());

promise(29, 'sockets without a ticket do not block a viewer', async (report) => {
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const created = await app.send('POST', '/api/projects/p/computers', { body: { name: 'a' } });
  const url = `ws://127.0.0.1:${app.port}/api/view/${created.json.id}/socket`;
  const sockets = Array.from({ length: 80 }, () => new WebSocket(url));
  for (const socket of sockets) socket.on('error', () => undefined);
  await Promise.all(sockets.map((socket) => once(socket, 'open')));
  const { json } = await app.send('POST', `/api/computers/${created.json.id}/view`, { body: {} });
  const viewer = openViewer(String(json.url));
  expect(await viewer.first).toMatchObject({ type: 'ready' });
  const openOnes = () => sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length;
  // Their clients may learn later that they were closed.
  await eventually(async () => openOnes() <= 32);
  report(`of 80 sockets without a ticket ${openOnes()} are left`);
  viewer.socket.terminate();
  for (const socket of sockets) socket.terminate();
});
