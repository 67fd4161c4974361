// @module-tag slow
import { EventEmitter, once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ApiError } from '../../src/contract/errors.js';
import { deferred } from '../../src/lib/async/deferred.js';
import { buildApp } from '../../src/server/app.js';
import type { Shell } from '../../src/shell/types.js';
import { eventually } from '../support/eventually.js';
import { FakeSnapshottingEngine } from '../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../support/fleet.js';
import { openViewer } from '../support/viewer.js';

let world: TestFleet;
let app: FastifyInstance;
let base: string;
let desk: string;
let logged: string[];
let shells: object[];

const spawn = async () => ({
  stdin: new PassThrough(),
  stdout: Readable.from([]),
  stderr: Readable.from([]),
  exit: Promise.resolve({ code: 0, signal: null }),
  kill: async () => undefined,
  end: async () => undefined,
});

/** Runs until the client leaves. */
const untilAborted = ({ signal }: { signal?: AbortSignal }) =>
  new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

/** The functions of the fake computer besides commands. */
const parts = {
  spawn,
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
  world = await openTestFleet({ engine: new FakeSnapshottingEngine(), maxRunning: 9 });
  const { openShell } = world.connectors;
  const opening: typeof openShell = async (...given) => {
    const shell = Object.assign(await openShell(...given), parts);
    shells.push(shell);
    return shell as unknown as Shell;
  };
  Object.assign(world.connectors, { openShell: opening });
  logged = [];
  shells = [];
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(line) });
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

/** Replaces functions of the computers. */
function offer(more: object): void {
  for (const shell of shells) Object.assign(shell, more);
}

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

/** The latest entries of a computer, newest first. */
function entriesOf(limit: number, id = desk) {
  const owner_id = world.store.owners.listOwners()[0]?.id ?? '';
  return world.fleet.auditLog.list({ id, owner_id }, { limit });
}

function steps(id = desk) {
  return entriesOf(100, id).map(({ action, detail, outcome }) => [action, detail, outcome]);
}

async function talk(path: string, ...messages: string[]): Promise<void> {
  const url = `${base.replace('http', 'ws')}/computers/${desk}/${path}`;
  const socket = new WebSocket(url, { headers: { authorization: authorization() } });
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  await once(socket, 'open');
  for (const message of messages.length === 0 ? ['{"type": "end"}'] : messages)
    socket.send(message);
  await closed;
}

it('the audit log has file transfers, with the length of their paths', async () => {
  await call('PUT', `/computers/${desk}/files?path=secret.txt&mode=0600`, 'hello');
  await call('GET', `/projects/demo/computers/desk/files?path=secret.txt`);
  await call('GET', `/computers/${desk}/files?path=none`);
  expect(steps().slice(0, 3)).toEqual([
    ['readFile', { path_length: 4 }, 'not_found'],
    ['readFile', { path_length: 10 }, 'ok'],
    ['writeFile', { path_length: 10, mode: 0o600 }, 'ok'],
  ]);
});

it('the audit log has processes and tunnels, including failed ones', async () => {
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

it('the entry of a process has the way it was started and its duration', async () => {
  const ended = deferred<void>();
  const exit = ended.promise.then(() => ({ code: 2, signal: null }));
  let started = 0;
  offer({
    spawn: async () => {
      started += 1;
      return { ...(await spawn()), exit };
    },
  });
  const talking = [
    talk('process', '{"command": "echo hunter2", "timeout": 3}'),
    talk('process', '{"code": "print(1)"}'),
    talk('process', '{"argv": ["bash"], "terminal": {"columns": 80, "rows": 24}}'),
  ];
  await eventually(async () => started === 3);
  await sleep(200);
  ended.resolve();
  await Promise.all(talking);
  const entries = entriesOf(3);
  const named = entries.map(({ action, detail, outcome }) => [action, detail, outcome]);
  expect(named.sort()).toEqual([
    ['bash', { command_length: 12, timeout: 3, exit_code: 2 }, 'ok'],
    ['exec', { code_length: 8, exit_code: 2 }, 'ok'],
    ['process', { command_length: 4, terminal: true }, 'ok'],
  ]);
  for (const { ms } of entries) expect(ms).toBeGreaterThanOrEqual(150);
});

it('a process that its client interrupted or disconnected from is logged as cancelled', async () => {
  const exit = new Promise((resolve) => {
    offer({
      spawn: async () => ({ ...(await spawn()), exit, kill: async () => resolve({ code: 0 }) }),
    });
  });
  await talk('process', '{"command": "sleep 9"}', '{"type": "signal", "signal": "INT"}');
  offer({
    spawn: async (_: unknown, signal: AbortSignal) => {
      const killed = once(signal, 'abort').then(() => ({ code: null, signal: 'SIGTERM' }));
      return { ...(await spawn()), exit: killed };
    },
  });
  const url = `${base.replace('http', 'ws')}/computers/${desk}/process`;
  const socket = new WebSocket(url, { headers: { authorization: authorization() } });
  await once(socket, 'open');
  socket.send('{"command": "sleep 9"}');
  socket.send('{"type": "stdin_end"}', () => socket.close());
  await once(socket, 'close');
  const isLogged = () => steps().filter(([, , outcome]) => outcome === 'cancelled').length === 2;
  await eventually(async () => isLogged());
});

it.each([
  ['stop', 'cancelled'],
  ['restart', 'cancelled'],
  ['reset', 'cancelled'],
  ['delete', 'cancelled'],
  ['nothing', 'guest_failed'],
] as const)('has a terminal that has ended by %s of its computer as %s', async (step, outcome) => {
  const started = deferred<void>();
  const exit = deferred<never>();
  exit.promise.catch(() => undefined);
  const close = () => exit.reject(new ApiError('guest_failed', 'The connection was closed.'));
  offer({
    spawn: async () => {
      started.resolve();
      return { ...(await spawn()), exit: exit.promise };
    },
    close,
  });
  const start = { argv: ['bash'], terminal: { columns: 80, rows: 24 } };
  const talking = talk('process', JSON.stringify(start));
  await started.promise;
  if (step === 'nothing') close();
  else if (step === 'delete') await call('DELETE', `/computers/${desk}`);
  else await call('POST', `/computers/${desk}/${step}`, '{}');
  await talking;
  const [, , found] = steps().find(([action]) => action === 'process') ?? [];
  expect(found).toBe(outcome);
});

it.each([
  ['wait', { duration: 30 }],
  ['wait', { until: 'stable', timeout: 30 }],
  ['wait', { until: 'change', timeout: 30 }],
  ['batch', { actions: [{ action: 'wait', duration: 30 }] }],
  ['bash', { command: 'sleep 30' }],
  ['exec', { code: 'input()' }],
] as const)('has an interrupted %s %j as cancelled, and logs no failure', async (name, body) => {
  offer({ run: untilAborted, python: untilAborted });
  const [screen] = world.connectors.screens;
  const changed = ({ signal }: { signal?: AbortSignal }) =>
    once(new EventEmitter(), 'x', { signal });
  Object.assign(screen ?? {}, { waitStable: changed, waitChange: changed });
  const controller = new AbortController();
  const headers = { authorization: authorization(), 'content-type': 'application/json' };
  const url = `${base}/computers/${desk}/${name}`;
  const { signal } = controller;
  const left = fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal });
  await sleep(100);
  controller.abort();
  await expect(left).rejects.toThrow();
  await eventually(async () => steps()[0]?.[0] === name);
  expect(steps()[0]?.[2]).toBe('cancelled');
  expect(logged.filter((line) => line.includes('"level":50'))).toEqual([]);
});

it('the audit log has recordings with their duration, however they ended', async () => {
  for (const failure of [undefined, new ApiError('guest_failed', 'The encoder ended.')]) {
    const video = new PassThrough();
    Object.assign(world.fleet.streams, { record: async () => ({ video }) });
    const recording = fetch(`${base}/computers/${desk}/record?duration=5`, {
      headers: { authorization: authorization() },
    });
    await sleep(300);
    if (failure === undefined) video.end('mp4');
    else video.destroy(failure);
    await recording.then((response) => response.arrayBuffer()).catch(() => undefined);
    await eventually(async () => steps()[0]?.[2] === (failure?.code ?? 'ok'));
    const [entry] = entriesOf(1);
    expect(entry).toMatchObject({ action: 'record', detail: { duration: 5 } });
    expect(entry?.ms).toBeGreaterThanOrEqual(150);
  }
});

it('the audit log has live views, with the key that requested the link', async () => {
  const viewer = openViewer(String((await call('POST', `/computers/${desk}/view`, '{}')).url));
  await viewer.first;
  viewer.socket.terminate();
  const [opened, view] = entriesOf(2);
  expect(opened).toMatchObject({ action: 'viewOpened', detail: { mode: 'control' } });
  expect(view).toMatchObject({ action: 'view', key_id: opened?.key_id });
});

it('the audit log has the operations on a project for each of its computers', async () => {
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

it('the audit log of a copy starts with its creation', async () => {
  const { id } = await call('POST', `/computers/${desk}/fork`, '{"name": "copy"}');
  expect(steps(String(id))).toEqual([['forkComputer', { name: 'copy' }, 'ok']]);
  expect(steps()[0]).toEqual(['forkComputer', { name: 'copy' }, 'ok']);
});
