import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import {
  BEAT_MS,
  type SignOfLife,
  startHeartbeat,
} from '../../../src/server/websocket/heartbeat.js';
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
async function accepted(sign: SignOfLife = 'answers'): Promise<WebSocket> {
  const [socket] = (await once(server, 'connection')) as [WebSocket];
  startHeartbeat(socket, sign);
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

/** Beats until the service ends a client that reads nothing and sends pongs that answer no ping. */
async function beatsOfUnread(sign: SignOfLife): Promise<number> {
  const accepting = accepted(sign);
  const mute = openMute().pause();
  const socket = await accepting;
  let beats = 0;
  while (socket.readyState === WebSocket.OPEN && beats < 5) {
    const pong = once(socket, 'pong');
    mute.write(Buffer.of(0x8a, 0x80, 0, 0, 0, 0));
    await pong;
    vi.advanceTimersByTime(BEAT_MS);
    beats += 1;
  }
  mute.destroy();
  socket.terminate();
  return beats;
}

promise(29, 'ends a client that has to read, and sends pongs without a ping', async (report) => {
  expect(await beatsOfUnread('answers')).toBe(2);
  report('within two beats');
});

it('keeps a client that sends pongs while its program reads nothing', async () => {
  expect(await beatsOfUnread('any-pong')).toBe(5);
});
