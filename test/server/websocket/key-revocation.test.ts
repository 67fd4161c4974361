// @module-tag slow
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { KEY_ENDED } from '../../../src/contract/constants.js';
import { buildApp } from '../../../src/server/app.js';
import { abortOnRevocation } from '../../../src/server/websocket/key-revocation.js';
import { askAtHost, cookieOf } from '../../support/client/at-host.js';
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

it.each([
  ['GET', '/api/projects/:project', true],
  ['HEAD', '/api/projects/:project', true],
  ['HEAD', '/api/keys/:key', true],
  ['PATCH', '/api/projects/:project', true],
  ['DELETE', '/api/projects/:project', true],
  ['POST', '/api/projects/:project/delete', true],
  ['PATCH', '/api/projects/:project', true, 'prj_1'],
  ['DELETE', '/api/projects/:project', false, 'prj_1'],
  ['POST', '/api/projects/:project/delete', false, 'prj_1'],
  ['DELETE', '/api/keys/:key', false],
])('%s %s ends with its key: %s, limited to %s', (method, url, ends, projectId?: string) => {
  let watched = 0;
  const apiKeys = { onEnd: () => () => (watched += 1) };
  const request = { method, routeOptions: { url }, stayOnRevocation: null };
  const raw = { once: () => undefined };
  const identity = { owner: { projectId } };
  abortOnRevocation(request as never, { raw } as never, apiKeys as never, identity as never);
  (request.stayOnRevocation as null | (() => void))?.();
  expect(watched === 1).toBe(ends);
});

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

/** The sockets and requests of a key and of its session, open; `closed` has the code of each socket. */
async function openAll(key: string) {
  const bearer = { authorization: `Bearer ${key}` };
  const host = new URL(base).host;
  const page = { host, origin: `http://${host}` };
  const headers = { ...page, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const cookie = cookieOf(await askAtHost(`${base}/sessions`, 'POST', headers, { key }));
  const path = (name: string) => `${base.replace('http', 'ws')}${name}`;
  const viewer = openViewer(await link(key));
  const sockets = {
    view: viewer.socket,
    process: new WebSocket(path(`${C}/process`), { headers: bearer }),
    wall: new WebSocket(path('/wall'), { headers: bearer }),
    'wall of the page': new WebSocket(path('/wall'), { headers: { ...page, cookie } }),
  };
  const closed = Object.entries(sockets).map(async ([name, socket]) => {
    socket.on('error', () => undefined);
    const [code] = await once(socket, 'close');
    return [name, code];
  });
  const opened = Object.values(sockets).slice(1);
  await Promise.all([viewer.first, ...opened.map((socket) => once(socket, 'open'))]);
  const events = await fetch(`${base}/events`, { headers: bearer });
  const ended = events.text().catch(() => 'ended');
  return { closed: Promise.all(closed), ended, count: opened.length + 2 };
}

it('ends everything that a key has open before its deletion is answered', async () => {
  const open = new Set<Socket>();
  app.server.on('request', ({ socket }: IncomingMessage) => open.add(socket));
  app.server.on('upgrade', ({ socket }: IncomingMessage) => open.add(socket));
  const { closed, ended, count } = await openAll(other.key);
  const watched = [...open].filter((socket) => socket.bytesWritten > 0 && !socket.destroyed);
  let atAnswer: boolean[] = [];
  let answered = 0;
  app.server.prependListener('request', ({ method }: IncomingMessage, answer: ServerResponse) => {
    if (method !== 'DELETE') return;
    answer.once('prefinish', () => {
      atAnswer = watched.map((socket) => socket.destroyed);
      answered = performance.now();
    });
  });
  await call(world.key, 'DELETE', `/keys/${other.id}`);
  // The connection of the deletion, and others that `fetch` keeps, are not the key's.
  expect(atAnswer.filter((isDestroyed) => isDestroyed)).toHaveLength(count);
  expect(await closed).toEqual(
    ['view', 'process', 'wall', 'wall of the page'].map((name) => [name, KEY_ENDED]),
  );
  expect(await ended).toBe('ended');
  console.log(`clients knew ${(performance.now() - answered).toFixed(1)} ms after the answer`);
});

it('ends a key with other rights, too, whose clients may connect again', async () => {
  const { closed } = await openAll(other.key);
  await call(world.key, 'PATCH', `/keys/${other.id}`, { rights: 'look' });
  for (const [name, code] of await closed) expect([name, code]).toEqual([name, 1006]);
});

it('deleting a key aborts its requests, except the deletion itself', async () => {
  const waiting = call(other.key, 'POST', `${C}/wait`, { duration: 60 });
  const unaffected = call(world.key, 'POST', `${C}/wait`, { duration: 0.5 });
  const aborted = expect(waiting).rejects.toThrow();
  await call(other.key, 'GET', C);
  expect(await call(other.key, 'DELETE', `/keys/${other.id}`)).toEqual({ success: true, made: [] });
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
  world.fleet.keys.remove(owner, owner.keyId);
  expect(ends).toBe(0);
  world.fleet.apiKeys.whileValid(owner, () => {
    ends += 1;
  });
  expect(ends).toBe(1);
});
