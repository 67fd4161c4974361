import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { openNodeSocket } from '../../../src/client/http/socket.js';
import { startHeartbeat } from '../../../src/server/websocket/heartbeat.js';

afterEach(() => void vi.useRealTimers());

it('a socket whose messages are not read for minutes stays open', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const endpoint = { url: new URL(`http://127.0.0.1:${port}`), headers: {} };
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const connected = once(server, 'connection') as Promise<[WebSocket]>;
  const ending = new AbortController();
  const socket = await openNodeSocket(endpoint as never, '/', ending.signal);
  const [peer] = await connected;
  startHeartbeat(peer, 'any-pong');
  socket.listen({ message: () => undefined, closed: () => undefined });
  socket.resume();
  socket.pause();
  for (let seconds = 0; seconds < 120; seconds += 5) {
    vi.advanceTimersByTime(5_000);
    // What was sent arrives.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(peer.readyState).toBe(peer.OPEN);
  ending.abort();
  server.close();
});
