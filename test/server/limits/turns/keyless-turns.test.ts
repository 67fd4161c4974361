import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { ConnectionLimit } from '../../../../src/server/limits/connections.js';
import { KeylessTurns } from '../../../../src/server/limits/turns/keyless-turns.js';

function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

const nextTurn = () => new Promise(setImmediate);

it('begins requests for some milliseconds of a turn, and one address after the other', async () => {
  const turns = new KeylessTurns();
  const begun: string[] = [];
  const enter = (address: string) =>
    turns.enter(() => {
      begun.push(address);
      work(6);
    }, address);
  for (const address of ['a', 'a', 'a', 'b', 'c']) enter(address);
  expect(begun).toEqual(['a']);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  expect(begun).toEqual(['a', 'a', 'b', 'c', 'a']);
  await nextTurn();
  enter('d');
  expect(begun.at(-1)).toBe('d');
  // Short ones share a turn.
  await nextTurn();
  let short = 0;
  for (let i = 0; i < 10; i++) turns.enter(() => short++, 'e');
  await nextTurn();
  expect(short).toBe(10);
});

it.each([
  ['long', 6, 5],
  ['short', 0.2, 30],
])('leaves turns to new connections, but one of 64, after %s requests', async (_, ms, count) => {
  let accepted = 0;
  let turn = 0;
  const accept = () => {
    turn += 1;
    accepted += 1;
    if (turn < 1_000) setImmediate(accept);
  };
  const turns = new KeylessTurns(() => accepted);
  setImmediate(accept);
  const begunIn: number[] = [];
  for (let nth = 0; nth < count; nth++) {
    turns.enter(async () => {
      await Promise.resolve();
      work(ms);
      begunIn.push(turn);
    }, 'a');
  }
  await expect.poll(() => begunIn.length, { timeout: 20_000 }).toBe(count);
  turn = 1_000;
  const distinct = [...new Set(begunIn)];
  expect(distinct.length).toBeGreaterThan(1);
  for (const [nth, at] of distinct.entries()) expect(Math.abs(at - 64 * nth)).toBeLessThan(16);
});

it('begins requests with a key at once among many without one, and ends those of closed connections', async () => {
  const order: string[] = [];
  const server = createServer((request, response) => {
    order.push(String(request.headers.authorization));
    work(4);
    response.end('done');
  });
  const limit = new ConnectionLimit(server);
  limit.divideTurns(({ headers: { authorization } }) =>
    authorization === undefined ? undefined : { ownerId: authorization },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const request = (header: string) => `GET / HTTP/1.1\r\nhost: localhost\r\n${header}\r\n`;
  const dial = () => connect(port, '127.0.0.1').on('error', () => undefined);
  const [owner, tooMany, ...others] = Array.from({ length: 62 }, dial);
  if (owner === undefined || tooMany === undefined) throw new Error('no connection');
  await Promise.all([owner, tooMany, ...others].map((socket) => once(socket, 'connect')));
  const closed = once(tooMany.resume(), 'close');
  tooMany.write(request('').repeat(5));
  for (const socket of others) socket.write(request('').repeat(4));
  owner.write(request('authorization: key\r\n').repeat(16));
  let answers = '';
  while ((answers.match(/200 OK/g)?.length ?? 0) < 16) {
    const [data] = await once(owner, 'data');
    answers += data;
  }
  expect(order.filter((one) => one === 'key')).toHaveLength(16);
  expect(order.length).toBeLessThan(150);
  await closed;
  for (const socket of others) socket.destroy();
  owner.destroy();
  server.close();
  await once(server, 'close');
  const begun = order.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(order).toHaveLength(begun);
});

it('forgets the requests of a connection that closes before their turn', async () => {
  const waiting = new Set<() => void>();
  // Turns that do not come.
  vi.spyOn(KeylessTurns.prototype, 'enter').mockImplementation((begin) => {
    waiting.add(begin);
    return false;
  });
  vi.spyOn(KeylessTurns.prototype, 'leave').mockImplementation((begin) => {
    waiting.delete(begin);
  });
  const server = createServer();
  new ConnectionLimit(server).divideTurns(() => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(2));
    await vi.waitFor(() => expect(waiting.size).toBe(2));
    socket.resetAndDestroy();
    await vi.waitFor(() => expect(waiting.size).toBe(0));
  } finally {
    vi.restoreAllMocks();
    server.close();
  }
});

it('survives an error of a WebSocket that waits for its turn', async () => {
  const server = createServer();
  const waiting: Socket[] = [];
  server.on('upgrade', ({ socket }) => waiting.push(socket));
  new ConnectionLimit(server).divideTurns(() => undefined);
  const request = { socket: new Socket() };
  server.emit('upgrade', request, request.socket, Buffer.alloc(0));
  const closed = new Promise((resolve) => request.socket.once('close', resolve));
  request.socket.destroy(new Error('reset by the client'));
  await closed;
  expect(waiting).toEqual([request.socket]);
});
