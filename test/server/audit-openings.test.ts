import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ApiError } from '../../src/contract/errors.js';
import { buildApp } from '../../src/server/app.js';
import type { Shell } from '../../src/shell/types.js';
import { FakeForkingEngine } from '../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../support/fleet.js';
import { openViewer } from '../support/viewer.js';

let world: TestFleet;
let app: FastifyInstance;
let base: string;
let desk: string;

/** What the fake computer supports besides commands. */
const parts = {
  spawn: async () => ({
    stdin: new PassThrough(),
    stdout: Readable.from([]),
    stderr: Readable.from([]),
    exit: Promise.resolve({ code: 0, signal: null }),
    kill: async () => undefined,
  }),
  connect: async (port: number) => {
    if (port === 1) throw new ApiError('invalid_request', 'Nothing listens there.');
    return Readable.from([]).pipe(new PassThrough());
  },
  files: {
    read: async (path: string, use: (file: object) => Promise<void>) => {
      if (path === 'none') throw new ApiError('not_found', 'There is no such file.');
      await use({ stream: Readable.from([Buffer.from('x')]), size: 1, mode: 0o644, mtime: 0 });
    },
    write: async (path: string, body: AsyncIterable<Buffer>) => {
      let size = 0;
      for await (const chunk of body) size += chunk.length;
      return { path, size };
    },
  },
};

beforeEach(async () => {
  world = await openTestFleet({ engine: new FakeForkingEngine(), maxRunning: 9 });
  const { openShell } = world.connectors;
  const opening: typeof openShell = async (...given) =>
    Object.assign(await openShell(...given), parts as unknown as Partial<Shell>);
  Object.assign(world.connectors, { openShell: opening });
  const log = pino({ level: 'silent' });
  app = await buildApp({ fleet: world.fleet, reachable: { hosts: [] }, version: '0.0.0', log });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/api`;
  await call('POST', '/projects', '{"name": "demo"}');
  desk = await create('desk');
});
afterEach(async () => {
  await app.close();
  await world.close();
});

const authorization = () => `Bearer ${world.key}`;

async function call(method: string, path: string, body?: string) {
  const headers = { authorization: authorization(), 'content-type': 'application/json' };
  const init = body === undefined ? {} : { body };
  const response = await fetch(`${base}${path}`, { method, headers, ...init });
  const text = await response.text();
  return (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>;
}

async function create(name: string): Promise<string> {
  return String((await call('POST', '/projects/demo/computers', JSON.stringify({ name }))).id);
}

/** The audit entries of a computer, newest first. */
function steps(id = desk) {
  return world.fleet.auditLog
    .list(id, { limit: 100 })
    .map(({ action, detail, outcome }) => [action, detail, outcome]);
}

async function talk(path: string, first?: string): Promise<void> {
  const url = `${base.replace('http', 'ws')}/computers/${desk}/${path}`;
  const socket = new WebSocket(url, { headers: { authorization: authorization() } });
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  await once(socket, 'open');
  if (first === undefined) socket.send('{"type": "end"}');
  else socket.send(first);
  await closed;
}

it('has file transfers, with the length of their paths', async () => {
  await call('PUT', `/computers/${desk}/files?path=secret.txt&mode=0600`, 'hello');
  await call('GET', `/projects/demo/computers/desk/files?path=secret.txt`);
  await call('GET', `/computers/${desk}/files?path=none`);
  expect(steps().slice(0, 3)).toEqual([
    ['readFile', { path_length: 4 }, 'not_found'],
    ['readFile', { path_length: 10 }, 'ok'],
    ['writeFile', { path_length: 10, mode: 0o600 }, 'ok'],
  ]);
});

it('has processes and tunnels, including failed ones', async () => {
  await talk('process', '{"argv": ["echo", "hunter2"]}');
  await talk('process', 'nonsense');
  await talk('tunnel?port=8080');
  await talk('tunnel?port=1');
  expect(steps().slice(0, 4)).toEqual([
    ['tunnel', {}, 'invalid_request'],
    ['tunnel', { port: 8080 }, 'ok'],
    ['process', {}, 'invalid_request'],
    ['process', { command_length: 12 }, 'ok'],
  ]);
});

it('has live views, with the key that requested the link', async () => {
  const viewer = openViewer(String((await call('POST', `/computers/${desk}/view`, '{}')).url));
  await viewer.first;
  viewer.socket.terminate();
  const [opened, view] = world.fleet.auditLog.list(desk, { limit: 2 });
  expect(opened).toMatchObject({ action: 'viewOpened', detail: { mode: 'control' } });
  expect(view).toMatchObject({ action: 'view', key_id: opened?.key_id });
});

it('has the operations on a project, for each of its computers', async () => {
  const other = await create('other');
  for (const step of ['stop', 'start', 'restart']) await call('POST', `/projects/demo/${step}`);
  await call('DELETE', '/projects/demo');
  const names = ['deleteProject', 'restartProject', 'startProject', 'stopProject'];
  for (const id of [desk, other]) {
    const entries = steps(id).slice(0, 4);
    expect(entries.map(([action, , outcome]) => [action, outcome])).toEqual(
      names.map((name) => [name, 'ok']),
    );
    expect(entries[0]?.[1]).toEqual({ name: id === desk ? 'desk' : 'other' });
  }
});

it('of a copy starts with its creation', async () => {
  const { id } = await call('POST', `/computers/${desk}/fork`, '{"name": "copy"}');
  expect(steps(String(id))).toEqual([['forkComputer', { name: 'copy' }, 'ok']]);
  expect(steps()[0]).toEqual(['forkComputer', { name: 'copy' }, 'ok']);
});
