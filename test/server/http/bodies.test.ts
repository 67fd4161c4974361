import { once } from 'node:events';
import { connect } from 'node:net';
import Fastify from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readBodies } from '../../../src/server/http/bodies.js';
import { fitsTurn, ownersTurn } from '../../../src/server/http/body-limit.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { usedMib } from '../../support/run/memory.js';
import { promise } from '../../support/run/promise.js';

let app: TestApp;
beforeEach(async () => {
  app = await openTestApp();
});
afterEach(() => app.close());

const head = (lines: readonly string[]) =>
  ['POST /api/projects HTTP/1.1', 'host: localhost', ...lines, '', ''].join('\r\n');
const json = 'content-type: application/json';
const key = () => `authorization: Bearer ${app.world.key}`;

promise(29, 'a body in chunks of one byte takes little memory', async (report) => {
  const socket = connect(app.port, '127.0.0.1');
  await once(socket, 'connect');
  const size = 200_000;
  const body = JSON.stringify({ name: 'demo', more: 'x'.repeat(size) });
  const before = usedMib();
  socket.write(head([json, key(), 'transfer-encoding: chunked']));
  for (let at = 0; at < body.length; at += 1000) {
    const part = [...body.slice(at, at + 1000)].map((byte) => `1\r\n${byte}\r\n`).join('');
    if (!socket.write(part)) await once(socket, 'drain');
  }
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
  const growth = usedMib() - before;
  report(`200 kB: +${Math.round(growth)} MiB`);
  expect(growth).toBeLessThan(6);
  socket.write('0\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('HTTP/1.1 200');
  socket.destroy();
});

it.each([
  ['longer', 'HTTP/1.1 400', ['content-length: 2', json], '{"name": "demo"}'],
  ['of another type', 'HTTP/1.1 415', ['content-length: 1', 'content-type: text/plain'], 'x'],
  [
    'of another type, in chunks',
    'HTTP/1.1 415',
    ['transfer-encoding: chunked'],
    '1\r\nx\r\n0\r\n\r\n',
  ],
  ['of 9 MiB', 'HTTP/1.1 413', [`content-length: ${9 << 20}`, json], 'x'],
])('refuses a body that is %s', async (_, status, lines, body) => {
  expect(await app.raw(head([key(), ...lines]) + body)).toContain(status);
});

it('treats an empty body of any type as no body', async () => {
  const answer = await app.raw(head([key(), 'content-type: text/plain', 'content-length: 0']));
  expect(answer).toMatch(/400[\s\S]*name/);
});

/** The turns of the event loop in which `work` parses long JSON. */
async function turnsOf(work: () => Promise<unknown>): Promise<number[]> {
  let turn = 0;
  const turns: number[] = [];
  const count = () => {
    turn += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const parse = JSON.parse;
  const spy = vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    if (text.length > 50_000) turns.push(turn);
    return parse(text, reviver);
  });
  try {
    await work();
    return turns;
  } finally {
    clearImmediate(timer);
    spy.mockRestore();
  }
}

promise(29, 'JSON of too many values is refused before it is parsed', async (report) => {
  const list = (item: string) => `[${`${item},`.repeat(2 ** 21 / (item.length + 1))}0]`;
  const values = 'The body has more than 400000 values.';
  const fields = 'The objects in the body have more than 50000 fields.';
  const turns = await turnsOf(async () => {
    for (const [item, error] of [
      ['[]', values],
      ['0', values],
      ['{"a":[]}', fields],
    ] as const) {
      const answer = await app.send('POST', '/api/projects', { body: list(item) });
      expect(answer).toMatchObject({ status: 400, json: { error } });
    }
  });
  expect(turns).toEqual([]);
  report('3 bodies of 2 MiB refused, none parsed');
});

it('parses one large body in each turn of the event loop', async () => {
  const server = Fastify();
  readBodies(
    server,
    (_, work) => work(),
    ({ id }) => ({ ownerId: id }),
  );
  server.post('/', async ({ body }) => body);
  const payload = { text: 'x'.repeat(100_000) };
  const turns = await turnsOf(() =>
    Promise.all(
      Array.from({ length: 6 }, () => server.inject({ method: 'POST', url: '/', payload })),
    ),
  );
  expect(turns).toHaveLength(6);
  expect(new Set(turns).size).toBe(6);
  await server.close();
});

it('parses 64 Ki characters of short bodies in a turn of the event loop', async () => {
  await new Promise(setImmediate);
  expect(Array.from({ length: 100 }, () => fitsTurn(1000)).indexOf(false)).toBe(65);
  await new Promise(setImmediate);
  expect([fitsTurn(65_536), fitsTurn(1)]).toEqual([true, false]);
  await new Promise(setImmediate);

  const server = Fastify();
  readBodies(
    server,
    (_, work) => work(),
    ({ id }) => ({ ownerId: id }),
  );
  server.post('/', async ({ body }) => body);
  const payload = { text: 'x'.repeat(55_000) };
  const turns = await turnsOf(() =>
    Promise.all(
      Array.from({ length: 20 }, () => server.inject({ method: 'POST', url: '/', payload })),
    ),
  );
  expect(turns).toHaveLength(20);
  expect(new Set(turns).size).toBeGreaterThan(10);
  await server.close();
});

it('long texts of several owners take turns, and one whose client has left waits no longer', async () => {
  const order: string[] = [];
  const never = new AbortController().signal;
  const wait = (owner: string, name: string, signal = never) =>
    ownersTurn({ ownerId: owner }, signal).then(() => order.push(name));
  const left = new AbortController();
  const waiting = [wait('a', 'a1'), wait('a', 'a2'), wait('a', 'a3'), wait('b', 'b1')];
  const gone = wait('b', 'b2', left.signal);
  left.abort(new Error('the client has left'));
  await expect(gone).rejects.toThrow('the client has left');
  expect(order).toEqual([]);
  await Promise.all(waiting);
  expect(order.indexOf('b1')).toBeLessThan(2);
  expect(order).not.toContain('b2');
});

it("a long text of a key with all rights is next after one of the owner's limited keys", async () => {
  const order: string[] = [];
  const never = new AbortController().signal;
  const wait = (name: string, queue?: string) =>
    ownersTurn({ ownerId: 'a', queue }, never).then(() => order.push(name));
  const limited = Array.from({ length: 30 }, (_, nth) => wait(`limited ${nth % 3}`, `${nth % 3}`));
  await Promise.all([...limited, wait('full'), wait('full')]);
  expect(order.slice(0, 5)).toEqual(['limited 0', 'full', 'limited 1', 'full', 'limited 2']);
  expect(order).toHaveLength(32);
});

it('after a long text, the next one of its owner rests for four times as long', async () => {
  const at = new Map<string, number>();
  const never = new AbortController().signal;
  const take = async (owner: string, name: string, ms: number) => {
    await ownersTurn({ ownerId: owner }, never);
    at.set(name, performance.now());
    while (performance.now() - (at.get(name) ?? 0) < ms);
  };
  await Promise.all([take('a', 'long', 30), take('a', 'next', 0), take('b', 'other', 0)]);
  const after = (name: string) => (at.get(name) ?? 0) - (at.get('long') ?? 0);
  expect(after('next')).toBeGreaterThanOrEqual(30 + 4 * 30 - 1);
  expect(after('other')).toBeLessThan(100);
});

it('what follows a body of a request without a key has its turn among those', async () => {
  const waiting: (() => void)[] = [];
  const server = Fastify();
  readBodies(
    server,
    (_, work) => void waiting.push(work),
    ({ id }) => ({ ownerId: id }),
  );
  server.post('/', async ({ body }) => body);
  let isAnswered = false;
  const answer = server.inject({ method: 'POST', url: '/', payload: { text: 'a' } });
  void answer.then(() => {
    isAnswered = true;
  });
  await expect.poll(() => waiting.length).toBe(1);
  expect(isAnswered).toBe(false);
  waiting[0]?.();
  expect((await answer).json()).toEqual({ text: 'a' });
  await server.close();
});
