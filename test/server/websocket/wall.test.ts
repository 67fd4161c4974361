// @module-tag slow
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { WallMessage } from '../../../src/contract/sockets/wall.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';

let app: TestApp;
let id: string;
beforeEach(async () => {
  app = await openTestApp({ maxRunning: 9 });
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  id = await create('p', 'a');
});
afterEach(() => app.close());

/** Whether the lists that were due have been read. */
async function isQuiet(records: { readonly mock: { readonly calls: readonly unknown[] } }) {
  const before = records.mock.calls.length;
  await sleep(5_000);
  return records.mock.calls.length === before;
}

async function create(project: string, name: string): Promise<string> {
  const path = `/api/projects/${project}/computers`;
  return String((await app.send('POST', path, { body: { name } })).json.id);
}

async function open(key = app.world.key, query = '') {
  const socket = new WebSocket(`ws://127.0.0.1:${app.port}/api/wall${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const messages: WallMessage[] = [];
  const pictures: string[] = [];
  socket.on('message', (data, isBinary) => {
    if (isBinary) pictures.push(String(data));
    else messages.push(JSON.parse(String(data)));
  });
  socket.on('error', () => undefined);
  await once(socket, 'open');
  await eventually(async () => messages.length > 0);
  const has = (wanted: object) =>
    eventually(async () => {
      try {
        expect(messages).toContainEqual(expect.objectContaining(wanted));
        return true;
      } catch {
        return false;
      }
    });
  return { socket, messages, pictures, has };
}

test('sends all computers, then each that is new, changed or deleted', async () => {
  const wall = await open();
  expect(wall.messages[0]).toMatchObject({
    type: 'list',
    computers: [{ id, name: 'a', status: 'running', seq: expect.any(Number) }],
  });
  const url = `http://127.0.0.1:${app.port}/api/view/${id}`;
  expect(wall.messages[0]).toMatchObject({ computers: [{ url }] });
  const added = await create('p', 'b');
  await wall.has({ type: 'computer', computer: expect.objectContaining({ id: added, name: 'b' }) });
  await app.send('PATCH', `/api/computers/${id}`, { body: { name: 'c' } });
  await wall.has({ type: 'computer', computer: expect.objectContaining({ id, name: 'c' }) });
  await app.send('POST', `/api/computers/${id}/stop`);
  await wall.has({
    type: 'computer',
    computer: expect.objectContaining({ id, status: 'stopped' }),
  });
  await app.send('DELETE', `/api/computers/${id}`);
  await wall.has({ type: 'removed', id });
  wall.socket.terminate();
});

test('sends the first pictures to a client that asks for them', async () => {
  await app.send('POST', `/api/computers/${id}/stop`);
  for (const name of ['b', 'c', 'd']) {
    const added = await create('p', name);
    await app.send('GET', `/api/computers/${added}/thumbnail`);
    const screen = app.world.connectors.screens.at(-1);
    if (screen === undefined) throw new Error('no screen is open');
    screen.screenshot = async () => {
      if (name === 'c') throw new Error('a fault');
      return { format: 'jpeg', width: 1, height: 1, data: Buffer.from(name) };
    };
  }
  const wall = await open(undefined, '?pictures=2');
  await eventually(async () => wall.pictures.length === 2);
  // Each has its place in the first byte; the second screen does not answer.
  expect(new Set(wall.pictures)).toEqual(new Set(['\0b', '\x01']));
  await app.send('PATCH', `/api/computers/${id}`, { body: { name: 'e' } });
  await wall.has({ type: 'computer', computer: expect.objectContaining({ name: 'e' }) });
  expect(wall.pictures).toHaveLength(2);
  wall.socket.terminate();
  const refused = new WebSocket(`ws://127.0.0.1:${app.port}/api/wall?pictures=5`, {
    headers: { authorization: `Bearer ${app.world.key}` },
  });
  const [, response] = await once(refused, 'unexpected-response');
  expect(response.statusCode).toBe(400);
  response.destroy();
});

test('a change of the picture grows its number once', async () => {
  await app.send('GET', `/api/computers/${id}/thumbnail`);
  const wall = await open();
  await wall.has({ type: 'change', id, status: 'running' });
  const numbers = () =>
    wall.messages.flatMap((message) => (message.type === 'change' ? [message.seq] : []));
  const before = Math.max(...numbers());
  const screen = app.world.connectors.screens.at(-1);
  if (screen === undefined) throw new Error('no screen is open');
  screen.version += 1;
  await eventually(async () => Math.max(...numbers()) === before + 1);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(Math.max(...numbers())).toBe(before + 1);
  wall.socket.terminate();
});

test('a key for one project gets only its computers, and ends with it', async () => {
  await app.send('POST', '/api/projects', { body: { name: 'other' } });
  const body = { name: 'watcher', rights: 'look', project: 'other' };
  const { json } = await app.send('POST', '/api/keys', { body });
  const wall = await open(String(json.key));
  expect(wall.messages[0]).toEqual({ type: 'list', computers: [] });
  const added = await create('other', 'b');
  await wall.has({ type: 'computer', computer: expect.objectContaining({ id: added }) });
  await app.send('PATCH', `/api/computers/${id}`, { body: { name: 'secret' } });
  const closed = once(wall.socket, 'close');
  const began = performance.now();
  await app.send('DELETE', `/api/keys/${json.id}`);
  await closed;
  expect(performance.now() - began).toBeLessThan(1000);
  expect(JSON.stringify(wall.messages)).not.toContain(id);
});

test('a thumbnail is a small JPEG, and no use of the computer', async () => {
  const answer = await app.send('GET', `/api/computers/${id}/thumbnail?width=160&seq=3`);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('image/jpeg');
  const again = await app.send('GET', `/api/computers/${id}/thumbnail?width=160`, {
    headers: { 'if-none-match': String(answer.headers.etag) },
  });
  expect(again.status).toBe(304);
  const log = await app.send('GET', `/api/computers/${id}/actions`);
  expect(log.text).not.toContain('thumbnail');
  await app.send('POST', `/api/computers/${id}/stop`);
  const off = await app.send('GET', `/api/computers/${id}/thumbnail`);
  expect([off.status, off.headers['x-error-code']]).toEqual([400, 'not_running']);
});

test('a thumbnail of a computer that is stopped meanwhile says so', async () => {
  await app.send('GET', `/api/computers/${id}/thumbnail`);
  const screen = app.world.connectors.screens.at(-1);
  if (screen === undefined) throw new Error('no screen is open');
  screen.screenshot = async () => {
    await app.send('POST', `/api/computers/${id}/stop`);
    throw new Error('the connection was closed');
  };
  const answer = await app.send('GET', `/api/computers/${id}/thumbnail`);
  expect([answer.status, answer.headers['x-error-code']]).toEqual([400, 'not_running']);
});

/** Adds stopped computers beside an existing one. */
function addStopped(beside: string, count: number): void {
  const { computers, transaction } = app.world.store;
  const record = computers.findById(beside);
  if (record === undefined) throw new Error(`no computer ${beside}`);
  transaction(() => {
    for (let i = 0; i < count; i++) {
      const row = { ...record, id: `${record.id}-${i}`, name: `s${i}`, status: 'stopped' } as const;
      computers.insert(row);
    }
  });
}

/** A client that never reads; `status` is that of the answer's first bytes. */
async function openMute(): Promise<{ socket: Socket; status: number; text: string }> {
  const socket = connect(app.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `GET /api/wall HTTP/1.1\r\nhost: 127.0.0.1:${app.port}\r\nauthorization: Bearer ${app.world.key}\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
  );
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  const text = first.toString();
  return { socket, status: Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1]), text };
}

promise(
  29,
  'many walls of one owner share one comparison, and hold little for those that do not read',
  async (report) => {
    addStopped(id, 1_000);
    const records = vi.spyOn(app.world.fleet.computers, 'records');
    const mute: Awaited<ReturnType<typeof openMute>>[] = [];
    try {
      for (let i = 0; i < 17; i++) mute.push(await openMute());
      expect(mute.map(({ status }) => status)).toEqual([...Array(16).fill(101), 429]);
      expect(mute.at(-1)?.text).toContain('too many open connections to /wall; the limit is 16');
      await eventually(async () => records.mock.calls.length > 0);
      await sleep(2_000);
      const before = process.memoryUsage().arrayBuffers;
      records.mockClear();
      for (const [from, to] of ['pq', 'qr', 'rs', 'st', 'tu', 'uv']) {
        await app.send('PATCH', `/api/projects/${from}`, { body: { name: to } });
        await sleep(300);
      }
      // A list rests for ten times the time that its last comparison took.
      await eventually(async () => records.mock.calls.length > 0, 30_000);
      await sleep(1_000);
      const lists = records.mock.calls.length;
      expect(lists).toBeLessThanOrEqual(16);
      const growth = Math.round((process.memoryUsage().arrayBuffers - before) / 2 ** 20);
      expect(growth).toBeLessThan(40);
      await eventually(() => isQuiet(records), 40_000);
      const other = app.world.addOwner('other');
      records.mockClear();
      await app.send('POST', '/api/projects', {
        ...{ body: { name: 'x' }, authorization: `Bearer ${other}` },
      });
      await sleep(1_000);
      expect(records).not.toHaveBeenCalled();
      report(`16 walls of 1,000 computers: ${lists} lists read for 6 changes, +${growth} MiB`);
    } finally {
      for (const { socket } of mute) socket.destroy();
    }
  },
  90_000,
);

promise(
  29,
  "one owner's many computers do not delay the pictures of another's",
  async (report) => {
    addStopped(id, 1_000);
    const crowded = await open();
    const key = app.world.addOwner('other');
    const authorization = `Bearer ${key}`;
    await app.send('POST', '/api/projects', { body: { name: 'o' }, authorization });
    const { json } = await app.send('POST', '/api/projects/o/computers', {
      ...{ body: { name: 'b' }, authorization },
    });
    await app.send('GET', `/api/computers/${json.id}/thumbnail`, { authorization });
    const screen = app.world.connectors.screens.at(-1);
    if (screen === undefined) throw new Error('no screen is open');
    const wall = await open(key);
    const told = () => wall.messages.filter(({ type }) => type === 'change').length;
    await eventually(async () => told() > 0, 10_000);
    const before = told();
    const began = performance.now();
    screen.version += 1;
    await eventually(async () => told() > before, 10_000);
    report(`told after ${((performance.now() - began) / 1000).toFixed(1)} s`);
    for (const { socket } of [crowded, wall]) socket.terminate();
  },
  60_000,
);
