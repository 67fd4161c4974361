import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { BEAT_MS, startHeartbeat } from '../../../src/server/websocket/heartbeat.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';

let server: WebSocketServer;
let url: string;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const address = server.address();
  url = `ws://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});
afterEach(() => {
  vi.useRealTimers();
  server.close();
});

/** The service's end of the next connection, with a heartbeat. */
async function accepted(): Promise<WebSocket> {
  const [socket] = (await once(server, 'connection')) as [WebSocket];
  startHeartbeat(socket);
  return socket;
}

/** A client that sends nothing after the handshake, not even answers to pings. */
function openMute(): Socket {
  const { port } = new URL(url);
  const mute: Socket = connect(Number(port), '127.0.0.1');
  mute.on('error', () => undefined);
  mute.write(
    'GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  );
  return mute;
}

promise(23, 'disconnects a client that answers no ping', async (report) => {
  const accepting = accepted();
  const mute = openMute();
  mute.resume();
  const closed = once(await accepting, 'close');
  vi.advanceTimersByTime(2 * BEAT_MS);
  await closed;
  mute.destroy();
  report('within two beats');
});

it('keeps a client that answers, and one that the service has paused', async () => {
  const accepting = accepted();
  const client = new WebSocket(url);
  const socket = await accepting;
  for (let i = 0; i < 3; i++) {
    const pong = once(socket, 'pong');
    vi.advanceTimersByTime(BEAT_MS);
    await pong;
  }
  expect(socket.readyState).toBe(WebSocket.OPEN);
  socket.pause();
  vi.advanceTimersByTime(3 * BEAT_MS);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  client.terminate();
  socket.terminate();
});

promise(23, 'disconnects a client that sends pongs and reads nothing', async (report) => {
  vi.useRealTimers();
  const connected = once(server, 'connection');
  const mute = openMute().pause();
  const [socket] = (await connected) as [WebSocket];
  startHeartbeat(socket, 200);
  const pong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
  const pongs = setInterval(() => mute.write(pong), 20);
  const began = performance.now();
  let isClosed = false;
  socket.once('close', () => {
    isClosed = true;
  });
  await eventually(async () => isClosed, 5_000);
  clearInterval(pongs);
  mute.destroy();
  report(`after ${((performance.now() - began) / 200).toFixed(1)} beats`);
});

it('keeps a client whose pongs come late, behind what it has sent', async () => {
  const accepting = accepted();
  const client = new WebSocket(url, { autoPong: false });
  const socket = await accepting;
  const waiting: Buffer[] = [];
  client.on('ping', (data: Buffer) => waiting.push(data));
  for (let i = 0; i < 4; i++) {
    const pinged = once(client, 'ping');
    if (i === 1) socket.pause();
    vi.advanceTimersByTime(BEAT_MS);
    await pinged;
    if (i === 1) continue;
    const pong = once(socket, 'pong');
    socket.resume();
    client.pong(waiting.shift());
    await pong;
  }
  expect(socket.readyState).toBe(WebSocket.OPEN);
  client.terminate();
  socket.terminate();
});

promise(29, 'ends a client that sends pings and reads no answer', async () => {
  const accepting = accepted();
  const mute = openMute().pause();
  const socket = await accepting;
  const closed = once(socket, 'close');
  const ping = Buffer.concat([Buffer.of(0x89, 0x80 | 125), Buffer.alloc(4 + 125)]);
  const pings = Buffer.concat(Array<Buffer>(1000).fill(ping));
  while (mute.writable && socket.readyState === WebSocket.OPEN) {
    mute.write(pings);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
});
