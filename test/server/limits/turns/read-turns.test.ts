import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { ReadTurns } from '../../../../src/server/limits/turns/read-turns.js';
import { openTestApp } from '../../../support/app.js';
import { eventually } from '../../../support/eventually.js';
import { promise } from '../../../support/run/promise.js';
import { watchTurns } from '../../../support/run/watch-turns.js';

function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function dial(port: number, connections: number): Promise<Socket[]> {
  const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1'));
  closing.push(() => sockets.forEach((socket) => void socket.destroy()));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) socket.on('error', () => undefined);
  return sockets;
}

/** A server whose connections are read in turns. */
async function serve(server: Server): Promise<number> {
  const turns = new ReadTurns({ readerOf: () => ({ queue: '' }) });
  server.on('connection', (socket) => turns.watch(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

describe('what arrives at once on many connections is read in many turns', () => {
  const head = 'HTTP/1.1\r\nHost: 127.0.0.1\r\n';
  const names = Array.from({ length: 1990 }, (_, i) => `${i.toString(36)}:\r\n`).join('');
  const chunks = `${'1\r\n \r\n'.repeat(10_600)}0\r\n\r\n`;
  it.each([
    [
      'bodies in chunks of one byte',
      100,
      `POST /api/projects ${head}Transfer-Encoding: chunked\r\n\r\n${chunks}`,
      / 401 /,
    ],
    ['requests with 1,990 headers', 100, `GET /api/me ${head}${names}\r\n`.repeat(4), / 401 /],
    [
      'first requests with a key',
      250,
      `GET /api/me ${head}Authorization: Bearer KEY\r\n\r\n`.repeat(8),
      / (200|429) /,
    ],
  ])('%s', async (_, connections, requests, status) => {
    const app = await openTestApp();
    closing.push(app.close);
    const sockets = await dial(app.port, connections);
    const count = promisify(app.server.getConnections.bind(app.server));
    await eventually(async () => (await count()) === connections);
    const answers = sockets.map((socket) => once(socket, 'data'));
    const longest = watchTurns();
    for (const socket of sockets) socket.write(requests.replaceAll('KEY', app.world.key));
    for (const [answer] of await Promise.all(answers)) expect(String(answer)).toMatch(status);
    expect(longest()).toBeLessThan(300);
  });

  promise(29, 'messages of one byte', async (report) => {
    const app = await openTestApp();
    closing.push(app.close);
    const sockets = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const headers = { authorization: `Bearer ${app.world.key}` };
        const socket = new WebSocket(`ws://127.0.0.1:${app.port}/api/wall`, { headers });
        closing.push(() => socket.terminate());
        await once(socket, 'open');
        return socket;
      }),
    );
    const longest = watchTurns();
    const frame = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x30]);
    const frames = Buffer.concat(Array.from({ length: 9_000 }, () => frame));
    const wireOf = (socket: WebSocket) => (socket as unknown as { _socket: Socket })._socket;
    const pongs = sockets.map((socket) => once(socket, 'pong'));
    for (const socket of sockets) wireOf(socket).write(frames);
    for (const socket of sockets) socket.ping();
    await Promise.all(pongs);
    const ms = longest();
    expect(ms).toBeLessThan(100);
    report(`${8 * 9_000} messages at once, at most ${ms.toFixed(0)} ms of one turn`);
  });
});

it('hands on every byte once and in order, however slowly it is read', async () => {
  const bodies: string[] = [];
  const read = async (request: IncomingMessage) => {
    let body = '';
    for await (const piece of request) {
      work(2);
      body += piece;
      if (body.length % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return body;
  };
  const server = createServer(async (request, response) => {
    bodies.push(await read(request));
    response.end('done');
  });
  // Otherwise Node.js ends a connection whose client has ended it, before the slow answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  const port = await serve(server);
  const sent = Array.from({ length: 6 }, (_, nth) => `${`${nth}`.repeat(300_007)}end`);
  const sockets = await dial(port, sent.length);
  const answers = sockets.map((socket) => once(socket, 'data'));
  for (const [nth, socket] of sockets.entries()) {
    const body = sent[nth] ?? '';
    socket.write(
      `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    // The end arrives while most of the body waits.
    socket.end();
  }
  for (const [answer] of await Promise.all(answers)) expect(String(answer)).toContain(' 200 OK');
  expect(bodies.sort()).toEqual(sent);
});

it('leaves what follows an upgrade to the WebSocket, in order, and stops while that is paused', async () => {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  closing.push(() => sockets.close());
  const seen: string[] = [];
  let isPaused = false;
  let whilePaused = 0;
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => {
      work(0.2);
      if (isPaused) whilePaused += 1;
      seen.push(String(data));
      if (seen.length !== 300) return;
      isPaused = true;
      socket.pause();
      setTimeout(() => {
        isPaused = false;
        socket.resume();
      }, 50);
    });
  });
  const [socket] = await dial(await serve(server), 1);
  const text = (nth: number) => String(nth).padStart(8, '0');
  const frames = Array.from({ length: 3_000 }, (_, nth) =>
    Buffer.concat([Buffer.from([0x81, 0x88, 0, 0, 0, 0]), Buffer.from(text(nth))]),
  );
  const upgrade = [
    'GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n',
    'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  ].join('');
  socket?.write(Buffer.concat([Buffer.from(upgrade), ...frames]));
  await eventually(async () => seen.length === frames.length);
  expect(seen).toEqual(frames.map((_, nth) => text(nth)));
  // The rest of the piece whose messages are being read.
  expect(whilePaused).toBeLessThan(80);
});

it('a queue with much to read delays no other queue of its owner', async () => {
  const names = new Map<Socket, string>();
  const readerOf = (socket: Socket) => ({ ownerId: 'a', queue: names.get(socket) ?? '' });
  const turns = new ReadTurns({ readerOf });
  let ofLimited = 0;
  let ofFull = 0;
  const server = createNetServer((socket) => {
    const isFull = names.size === 0;
    names.set(socket, isFull ? 'full' : 'limited');
    socket
      .on('error', () => undefined)
      .on('data', ({ length }) => {
        work(1);
        if (isFull) ofFull += length;
        else ofLimited += 1;
      });
    turns.watch(socket);
  });
  server.listen(0, '127.0.0.1');
  closing.push(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [full] = await dial(port, 1);
  // No longer new.
  full?.write(Buffer.alloc(5_000));
  await eventually(async () => ofFull === 5_000);
  const limited = await dial(port, 100);
  for (const socket of limited) socket.write(Buffer.alloc(5_000));
  await eventually(async () => ofLimited > 500);
  const before = ofLimited;
  full?.write('now');
  await eventually(async () => ofFull === 5_003);
  expect(ofLimited - before).toBeLessThan(90);
});

it('while connections are accepted, what has no key and has handed on much waits for most turns', async () => {
  let accepted = 0;
  let turn = 0;
  const turnsOfOthers = new Set<number>();
  const turns = new ReadTurns({ readerOf: () => ({ queue: '' }), accepted: () => ++accepted });
  const server = createNetServer((socket) => {
    let bytes = 0;
    socket
      .on('error', () => undefined)
      .on('data', ({ length }) => {
        work(2);
        bytes += length;
        if (bytes > 8_000) turnsOfOthers.add(turn);
      });
    turns.watch(socket);
  });
  server.listen(0, '127.0.0.1');
  closing.push(() => server.close());
  await once(server, 'listening');
  const sockets = await dial((server.address() as AddressInfo).port, 20);
  for (const socket of sockets) socket.write(Buffer.alloc(100_000));
  const count = () => {
    turn += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  await eventually(async () => turnsOfOthers.size >= 5);
  const [first = 0] = turnsOfOthers;
  clearImmediate(timer);
  expect(turn - first).toBeGreaterThan(4 * 40);
});
