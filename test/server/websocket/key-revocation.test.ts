import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { buildApp } from '../../../src/server/app.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';
import { openViewer } from '../../support/viewer.js';

let world: TestFleet;
let app: FastifyInstance;
let base: string;
let C: string;
let other: { id: string; key: string };

beforeEach(async () => {
  world = await openTestFleet();
  const log = pino({ level: 'silent' });
  app = await buildApp({ fleet: world.fleet, reachable: { hosts: [] }, version: '0.0.0', log });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/api`;
  await call(world.key, 'POST', '/projects', { name: 'p' });
  C = `/computers/${(await call(world.key, 'POST', '/projects/p/computers', { name: 'a' })).id}`;
  const created = await call(world.key, 'POST', '/keys', { name: 'other' });
  other = { id: String(created.id), key: String(created.key) };
});
afterEach(async () => {
  await app.close();
  await world.close();
});

async function call(key: string, method: string, path: string, body?: object) {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Record<string, unknown>;
}

/** A process socket that has not sent its first message. */
async function openProcess(key: string): Promise<WebSocket> {
  const headers = { authorization: `Bearer ${key}` };
  const socket = new WebSocket(`${base.replace('http', 'ws')}${C}/process`, { headers });
  socket.on('error', () => undefined);
  await once(socket, 'open');
  return socket;
}

const link = async (key: string) => String((await call(key, 'POST', `${C}/view`, {})).url);

it('deleting a key closes its sockets, but none of another key', async () => {
  const viewers = [openViewer(await link(other.key)), openViewer(await link(world.key))] as const;
  await Promise.all(viewers.map(({ first }) => first));
  const processes = [await openProcess(other.key), await openProcess(world.key)] as const;
  const unused = await link(other.key);
  const closed = [once(processes[0], 'close'), viewers[0].closed];
  await call(world.key, 'DELETE', `/keys/${other.id}`);
  await Promise.all(closed);
  expect(await openViewer(unused).closed).toMatchObject({ code: 'unauthorized' });
  expect(processes[1].readyState).toBe(WebSocket.OPEN);
  expect(viewers[1].socket.readyState).toBe(WebSocket.OPEN);
  processes[1].terminate();
  viewers[1].socket.terminate();
});

it('deleting a key aborts its requests, except the deletion itself', async () => {
  const waiting = call(other.key, 'POST', `${C}/wait`, { duration: 60 });
  const unaffected = call(world.key, 'POST', `${C}/wait`, { duration: 0.5 });
  const aborted = expect(waiting).rejects.toThrow();
  await call(other.key, 'GET', C);
  expect(await call(other.key, 'DELETE', `/keys/${other.id}`)).toEqual({ success: true });
  await aborted;
  expect(await unaffected).toMatchObject({ success: true });
});

it('a socket whose key was deleted before it opened closes at once', async () => {
  const owner = world.fleet.apiKeys.authenticate(other.key);
  if (owner === undefined) throw new Error('the key is not known');
  let ends = 0;
  const forget = world.fleet.apiKeys.whileValid(owner, () => {
    ends += 1;
  });
  forget();
  world.fleet.apiKeys.remove(owner, owner.keyId);
  expect(ends).toBe(0);
  world.fleet.apiKeys.whileValid(owner, () => {
    ends += 1;
  });
  expect(ends).toBe(1);
});
