import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

const MIB = 2 ** 20;

let app: TestApp;
/** A key that may only look at one project. */
let look: { readonly id: string; readonly authorization: string };

beforeEach(async () => {
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'shop' } });
  const body = { name: 'look', rights: 'look', project: 'shop' };
  const { json } = await app.send('POST', '/api/keys', { body });
  look = { id: String(json.id), authorization: `Bearer ${json.key}` };
});
afterEach(() => app.close());

/** A request whose body never arrives. */
function announce(): Socket {
  const socket = connect(app.port, '127.0.0.1');
  const lines = ['POST /api/logins HTTP/1.1', 'host: 127.0.0.1', 'content-type: application/json'];
  lines.push(`authorization: ${look.authorization}`, `content-length: ${8 * MIB}`, '', '');
  socket.on('error', () => undefined).write(lines.join('\r\n'));
  return socket.resume();
}

it('a key that may only look cannot keep its owner from revoking it', async () => {
  const sockets = Array.from({ length: 40 }, announce);
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  await app.send('GET', '/api/health');
  // The largest body has room, too.
  const name = 'x'.repeat(7 * MIB);
  const refused = await app.send('POST', '/api/projects', { body: { name } });
  expect(refused.status).toBe(400);
  expect((await app.send('DELETE', `/api/keys/${look.id}`)).status).toBe(200);
  await eventually(async () => sockets.every((socket) => socket.closed));
});

it('a key that may only look takes half of the event streams', async () => {
  const open = (authorization: string) =>
    fetch(`http://127.0.0.1:${app.port}/api/events`, {
      headers: { authorization, accept: 'text/event-stream' },
    });
  const streams = await Promise.all(Array.from({ length: 64 }, () => open(look.authorization)));
  expect(streams.filter(({ ok }) => ok)).toHaveLength(32);
  const own = await open(`Bearer ${app.world.key}`);
  expect(own.status).toBe(200);
  for (const { body } of [...streams, own]) await body?.cancel();
});
