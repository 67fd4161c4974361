import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sendError } from '../../../src/server/http/errors.js';
import { Lane, throttleRequests } from '../../../src/server/http/throttle.js';
import { ConnectionLimit } from '../../../src/server/limits/connections.js';
import { TurnShare } from '../../../src/server/limits/turns/turn-share.js';
import { fullKey, fullKeyOf, limitedKeyOf } from '../../support/accounts/key-in-use.js';
import { promise } from '../../support/run/promise.js';

const limits = { atOnce: 2, bytes: 1000, waiting: 2, waitMs: 1_500 };
const never = new AbortController().signal;
const full = fullKeyOf('somebody');
const look = limitedKeyOf('somebody', 'look');
const act = limitedKeyOf('somebody', 'act');

let app: FastifyInstance;
let port: number;
/** Ends the running requests. */
let finish: () => void;
let working: number;

beforeEach(async () => {
  working = 0;
  let done: Promise<void>;
  finish = () => undefined;
  const renew = () => {
    finish();
    done = new Promise((resolve) => (finish = resolve));
  };
  renew();
  app = Fastify();
  app.decorateRequest('owner', null);
  app.addHook('onRequest', async (request) => {
    const owner = { id: String(request.headers.from ?? 'somebody'), keyId: 'key' };
    if (request.url === '/open') request.askedBy = owner;
    else request.owner = owner;
  });
  throttleRequests(app, fullKey, limits);
  app.setErrorHandler((error: Error, request, reply) => sendError(error, request, reply));
  app.post('/', async () => {
    working += 1;
    await done;
    working -= 1;
    return 'done';
  });
  app.get('/open', async () => 'open');
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  port = typeof address === 'object' && address ? address.port : 0;
});
afterEach(async () => {
  finish();
  await app.close();
});

async function post(body = '{}', from = 'somebody') {
  const headers = { 'content-type': 'application/json', from };
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
  await answer.text();
  return { status: answer.status, retryAfter: answer.headers.get('retry-after') };
}
const works = (count: number) => vi.waitFor(() => expect(working).toBe(count));

promise(21, 'runs a limited number at once, queues some and refuses the others', async (report) => {
  const answers = [post(), post(), post(), post()];
  await works(2);
  expect(await post()).toEqual({ status: 429, retryAfter: '1' });
  // Another owner has its own limit.
  answers.push(post('{}', 'another'));
  await works(3);
  finish();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(5).fill(200));
  await works(0);
  report('beyond running and queued ones: 429');
});

it('refuses a request that was queued too long', async () => {
  const answers = [post(), post()];
  await works(2);
  expect(await post()).toMatchObject({ status: 429 });
  finish();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
});

it('reads no more bodies than the limit allows', async () => {
  const large = JSON.stringify('x'.repeat(600));
  const first = post(large);
  await works(1);
  expect(await post(large)).toMatchObject({ status: 429 });
  finish();
  expect((await first).status).toBe(200);
});

async function begin(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('POST / HTTP/1.1\r\nhost: x\r\nfrom: somebody\r\ncontent-length: 900\r\n\r\n');
  return socket;
}

it('a client that disconnects makes room for the next one', async () => {
  const { status } = await app.inject({ method: 'GET', url: '/none' }).then((answer) => {
    return { status: answer.statusCode };
  });
  expect(status).toBe(404);
  for (let i = 0; i < 4; i++) {
    const [inside, waiting] = [await begin(), await begin()];
    waiting.destroy();
    inside.destroy();
  }
  const answer = post();
  await works(1);
  finish();
  expect((await answer).status).toBe(200);
});

it('runs queued requests in order', async () => {
  const lane = new Lane({ ...limits, atOnce: 1, waiting: 10 });
  const leave = await lane.enter(0, full, never);
  const order: number[] = [];
  const rest = [1, 2, 3].map(async (number) => {
    const end = await lane.enter(0, full, never);
    order.push(number);
    end.release();
  });
  leave.release();
  leave.release();
  await Promise.all(rest);
  expect(order).toEqual([1, 2, 3]);
  expect(lane.idle).toBe(true);
});

it('counts a body of unknown size as the largest until it was read', async () => {
  const lane = new Lane(limits);
  const share = await lane.enter(1000, full, never);
  const next = lane.enter(1000, full, never);
  share.resize(10);
  expect(await Promise.race([next, 'waits'])).toBe('waits');
  share.release();
  const { resize } = await next;
  resize(1);
  await lane.enter(999, full, never);
});

it('reads few bodies of unknown size at once', async () => {
  const large = Fastify();
  large.decorateRequest('owner', null);
  large.addHook('onRequest', async (request) => {
    request.owner = { id: 'somebody', keyId: 'key' };
  });
  throttleRequests(large, fullKey, { ...limits, atOnce: 100, bytes: 64 * 2 ** 20, waiting: 1 });
  large.setErrorHandler((error: Error, request, reply) => sendError(error, request, reply));
  large.post('/', async () => 'done');
  await large.listen({ host: '127.0.0.1', port: 0 });
  const address = large.server.address();
  const to = typeof address === 'object' && address ? address.port : 0;
  const chunked =
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
  const sockets = Array.from({ length: 10 }, () => connect(to, '127.0.0.1'));
  const answers = sockets.map(async (socket) => {
    socket.write(chunked);
    return String(await once(socket, 'data').catch(() => []));
  });
  const refused = await Promise.race(answers);
  expect(refused).toContain('HTTP/1.1 429');
  for (const socket of sockets) socket.destroy();
  await large.close();
});

it('keeps places for keys with all rights from limited ones', async () => {
  const lane = new Lane({ ...limits, atOnce: 8, bytes: 800, waiting: 8 });
  const held = await Promise.all(Array.from({ length: 4 }, () => lane.enter(0, look, never)));
  // A limited key has half of the places, all limited keys three quarters.
  expect(lane.tryEnter(0, look)).toBeUndefined();
  for (let i = 0; i < 2; i++) held.push(await lane.enter(0, act, never));
  expect(lane.tryEnter(0, act)).toBeUndefined();
  for (let i = 0; i < 2; i++) held.push(await lane.enter(0, full, never));
  expect(lane.tryEnter(0, full)).toBeUndefined();
  for (const { release } of held) release();
  expect(lane.idle).toBe(true);
});

it('a queued request of a limited key delays no other key', async () => {
  const lane = new Lane({ ...limits, atOnce: 8, bytes: 800, waiting: 4 });
  const body = await lane.enter(400, look, never);
  const queued = [lane.enter(400, look, never), lane.enter(1, look, never)];
  await expect(lane.enter(1, look, never)).rejects.toThrow('Too many of your requests');
  const others = [await lane.enter(200, act, never), await lane.enter(200, full, never)];
  body.release();
  for (const next of queued) (await next).release();
  for (const { release } of others) release();
  expect(lane.idle).toBe(true);
});

it.each([
  ['another owner', { isSameOwner: false }],
  // It revokes the other one.
  ['a key with all rights of the same owner', { isSameOwner: true }],
])('%s is answered among many requests of a key that take long', async (_, { isSameOwner }) => {
  await app.close();
  const order: string[] = [];
  app = Fastify();
  app.decorateRequest('owner', null);
  app.addHook('onRequest', async (request) => {
    const from = String(request.headers.from);
    request.owner = { id: isSameOwner ? 'owner' : from, keyId: from };
  });
  // Ends the requests that wait when their connection closes.
  new ConnectionLimit(app.server);
  throttleRequests(app, ({ id, keyId }) =>
    keyId === 'many' ? limitedKeyOf(id, keyId) : fullKey({ id, keyId }),
  );
  app.get('/', (request) => {
    order.push(String(request.headers.from));
    for (const end = performance.now() + 4; performance.now() < end; );
    return 'done';
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  const request = (from: string) => `GET / HTTP/1.1\r\nhost: localhost\r\nfrom: ${from}\r\n\r\n`;
  const [one, ...many] = Array.from({ length: 13 }, () => connect(port, '127.0.0.1'));
  if (one === undefined) throw new Error('no connection');
  await Promise.all([one, ...many].map((socket) => once(socket, 'connect')));
  const answered = once(one, 'data');
  // Pipelined: they arrive together.
  for (const socket of many) socket.write(request('many').repeat(16));
  one.write(request('one'));
  await answered;
  expect(order.indexOf('one')).toBeGreaterThanOrEqual(0);
  expect(order.length).toBeLessThan(100);
  for (const socket of [one, ...many]) socket.destroy();
  await app.close();
  const begun = order.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(order).toHaveLength(begun);
});

it('a request whose client leaves is not kept until its turn', async () => {
  const waiting = new Set<() => void>();
  // Turns that do not come.
  const enter = vi.spyOn(TurnShare.prototype, 'enter').mockImplementation((begin) => {
    waiting.add(begin);
    return false;
  });
  const leave = vi.spyOn(TurnShare.prototype, 'leave').mockImplementation((begin) => {
    waiting.delete(begin);
  });
  try {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await vi.waitFor(() => expect(waiting.size).toBe(1));
    socket.resetAndDestroy();
    await vi.waitFor(() => expect(waiting.size).toBe(0));
  } finally {
    enter.mockRestore();
    leave.mockRestore();
  }
});

it('requests that need no key have the turns of whose key they show, and no limit', async () => {
  const answers = [post(), post()];
  await works(2);
  const enter = vi.spyOn(TurnShare.prototype, 'enter');
  const open = await Promise.all(
    Array.from({ length: 8 }, () => fetch(`http://127.0.0.1:${port}/open`)),
  );
  expect(open.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(enter).toHaveBeenCalledTimes(8);
  enter.mockRestore();
  finish();
  await Promise.all(answers);
});
