import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ConnectionShares } from '../../../src/server/limits/connection-shares.js';
import { ConnectionLimit, connectionLimit } from '../../../src/server/limits/connections.js';
import { promise } from '../../support/run/promise.js';

const server = createServer((request, response) => {
  const { authorization } = request.headers;
  if (authorization !== undefined)
    limit.trust(request.socket, { ownerId: `owner ${authorization}` });
  if (request.url !== '/slow') response.end('well');
});
const limit = new ConnectionLimit(server, 20);
server.on('checkContinue', (request, response) => {
  if (request.headers.authorization !== undefined)
    limit.trust(request.socket, { ownerId: 'owner' });
  response.writeContinue();
});
let port = 0;
let open: Socket[] = [];
beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
  server.close();
});

async function dial(localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  open.push(socket);
  await once(socket, 'connect');
  return socket;
}

async function ask(socket: Socket, path: string, headers = ''): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
  const [data] = await once(socket, 'data');
  return String(data);
}

promise(29, 'half-open connections do not block other clients', async (report) => {
  const owner = await dial();
  expect(await ask(owner, '/', 'Authorization: x\r\n')).toContain('200 OK');
  const busy = await dial();
  busy.write('GET /slow HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\n\r\n');
  for (let i = 0; i < 100; i++) (await dial()).write('GET / HTTP/1.1\r\nHo');
  expect(await ask(await dial(), '/')).toContain('well');
  expect(await ask(owner, '/', 'Authorization: x\r\n')).toContain('well');
  expect(busy.destroyed).toBe(false);
  const count = await new Promise<number>((resolve) =>
    server.getConnections((_, number) => resolve(number)),
  );
  expect(count).toBeLessThanOrEqual(20);
  report('100 half-open connections at a limit of 20, health answers');
});

it("owners' idle connections are closed for new ones, busy ones are not", async () => {
  const busy = await dial();
  busy.write('GET /slow HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\n\r\n');
  busy.resume();
  for (let i = 0; i < 30; i++) await ask(await dial(), '/', 'Authorization: x\r\n');
  expect(busy.destroyed).toBe(false);
});

promise(
  29,
  'one owner with all connections does not keep others from connecting',
  async (report) => {
    const idle: Socket[] = [];
    const other = await dial();
    expect(await ask(other, '/', 'Authorization: other\r\n')).toContain('well');
    for (let i = 0; i < 30; i++) {
      const socket = await dial();
      idle.push(socket);
      await ask(socket, '/', 'Authorization: x\r\n');
    }
    let silent = 0;
    let isOver = false;
    const knock = () => {
      if (isOver) return;
      const socket = connect(port, '127.0.0.1');
      open.push(socket);
      silent += 1;
      socket.on('error', () => undefined).once('close', () => setImmediate(knock));
    };
    for (let i = 0; i < 5; i++) knock();
    for (let i = 0; i < 20; i++) {
      const socket = await dial();
      expect(await ask(socket, '/', 'Authorization: new\r\n')).toContain('well');
      socket.destroy();
    }
    isOver = true;
    expect(await ask(other, '/', 'Authorization: other\r\n')).toContain('well');
    expect(idle.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(10);
    report(
      `${silent} silent connections and 30 idle ones at a limit of 20, another owner is answered`,
    );
  },
);

promise(
  29,
  'one owner whose requests do not end does not keep others from connecting',
  async (report) => {
    const other = await dial();
    expect(await ask(other, '/', 'Authorization: other\r\n')).toContain('well');
    const busy: Socket[] = [];
    for (let i = 0; i < 30; i++) {
      const socket = (await dial()).resume();
      busy.push(socket);
      socket.write('GET /slow HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\n\r\n');
    }
    for (let i = 0; i < 10; i++) {
      const socket = await dial();
      expect(await ask(socket, '/', 'Authorization: new\r\n')).toContain('well');
    }
    expect(await ask(other, '/', 'Authorization: other\r\n')).toContain('well');
    const closed = busy.filter(({ destroyed }) => destroyed).length;
    expect(closed).toBeGreaterThan(10);
    // Clients without a key end no more of its requests than they have connections.
    for (let i = 0; i < 100; i++) (await dial()).resume();
    const left = busy.filter(({ destroyed }) => !destroyed).length;
    expect(left).toBeGreaterThanOrEqual(5);
    report(`of 30 busy connections at a limit of 20 ${closed} closed, other owners are answered`);
  },
);

it('a connection whose client left before it was accepted is closed at once', () => {
  const socket = new Socket();
  server.emit('connection', socket);
  expect(socket.destroyed).toBe(true);
});

it('of clients without a key, the address with the most connections is closed first', async () => {
  const few = [await dial('127.0.0.2'), await dial('127.0.0.3')];
  for (const socket of few) expect(await ask(socket, '/')).toContain('well');
  for (let i = 0; i < 40; i++) await dial();
  for (const socket of few) expect(await ask(socket, '/')).toContain('well');
});

it('a request that waits for 100-continue counts as one', async () => {
  const uploading = await dial();
  const headers = 'Authorization: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n';
  uploading.resume().write(`POST /slow HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
  for (let i = 0; i < 30; i++) await ask(await dial(), '/', 'Authorization: x\r\n');
  expect(uploading.destroyed).toBe(false);
});

it('closes the responses of all requests of a connection that closes, also of those that wait', async () => {
  const responses: ServerResponse[] = [];
  const keep = (_: object, response: ServerResponse) => void responses.push(response);
  server.on('request', keep);
  try {
    // More than one connection may have, and the first of them is answered.
    const requests = `GET / HTTP/1.1\r\nHost: a\r\n\r\n${'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20)}`;
    for (const count of [10, 21]) {
      const socket = await dial();
      socket.write(requests.split(/(?<=\r\n\r\n)/, count).join(''));
      await once(socket, 'data');
      socket.resetAndDestroy();
    }
    expect(responses.length).toBeGreaterThan(14);
    await vi.waitFor(() => expect(responses.every(({ closed }) => closed)).toBe(true));
  } finally {
    server.off('request', keep);
  }
});

it('a third of the descriptors is reserved for the rest of the service', () => {
  expect([connectionLimit(300), connectionLimit(1e6)]).toEqual([200, 10_000]);
  open = [];
});

it('an owner has 2,048 connections: beyond that the oldest idle one is closed, or the oldest', () => {
  const shares = new ConnectionShares(10_000);
  const sockets = Array.from({ length: 2_048 }, () => trusted(shares, 'a'));
  const last = trusted(shares, 'a');
  expect(shares.tooMany(last, (socket) => socket === sockets[7])).toBe(sockets[7]);
  expect(shares.tooMany(last, () => false)).toBe(sockets[0]);
  // Its request has begun, although it counts as idle.
  expect(shares.tooMany(last, (socket) => socket === last)).toBe(sockets[0]);
});

it('a limited key has half of the connections, all of an owner three quarters, and closes its own', () => {
  const shares = new ConnectionShares(10_000);
  const full = trusted(shares, 'a');
  const first = Array.from({ length: 1_024 }, () => trusted(shares, 'a', 'key 1'));
  const more = trusted(shares, 'a', 'key 1');
  expect(shares.tooMany(more, () => true)).toBe(first[0]);
  shares.remove(more);
  for (let nth = 0; nth < 512; nth++) trusted(shares, 'a', 'key 2');
  const other = trusted(shares, 'a', 'key 2');
  // Of the limited key that has the most.
  expect(shares.tooMany(other, () => true)).toBe(first[0]);
  shares.remove(other);
  for (let nth = 0; nth < 511; nth++)
    expect(shares.tooMany(trusted(shares, 'a'), () => true)).toBeUndefined();
  expect(shares.tooMany(trusted(shares, 'a'), () => true)).toBe(first[0]);
  expect(shares.tooMany(full, (socket) => socket === full)).toBe(first[0]);
});

it('a limited key closes no connection of a key with all rights', () => {
  const shares = new ConnectionShares(10_000);
  for (let nth = 0; nth < 2_048; nth++) trusted(shares, 'a');
  const first = trusted(shares, 'a', 'key 1');
  expect(shares.tooMany(first, () => true)).toBe(first);
  const second = trusted(shares, 'a', 'key 1');
  expect(shares.tooMany(second, () => true)).toBe(first);
});

/** A new connection that has counted as the owner's. */
function trusted(shares: ConnectionShares, ownerId: string, queue?: string): Socket {
  const socket = new Socket();
  shares.add(socket);
  expect(shares.tooMany(socket, () => true)).toBeUndefined();
  shares.trust(socket, ownerId, queue);
  return socket;
}

it('beyond 1,024 connections without a key, idle ones are closed after 10 s', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const shares = new ConnectionShares(10_000);
    const sockets = Array.from({ length: 1_024 }, () => new Socket());
    for (const socket of sockets.slice(1)) shares.add(socket);
    vi.advanceTimersByTime(10_001);
    expect(shares.oldIdleOne(() => true)).toBeUndefined();
    shares.add(sockets[0] ?? new Socket());
    expect(shares.oldIdleOne((socket) => socket === sockets[5])).toBe(sockets[5]);
    // It was opened just now.
    expect(shares.oldIdleOne((socket) => socket === sockets[0])).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});
