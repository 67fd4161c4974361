import { EventEmitter } from 'node:events';
import { beforeEach, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { MessageBuffer } from '../../../src/server/websocket/message-buffer.js';

class Socket extends EventEmitter {
  isPaused = false;
  pause() {
    this.isPaused = true;
  }
  resume() {
    this.isPaused = false;
  }
  send(data: string | Buffer) {
    this.emit('message', Buffer.from(data), typeof data !== 'string');
  }
}

let socket: Socket;
let messages: MessageBuffer;
beforeEach(() => {
  socket = new Socket();
  messages = new MessageBuffer(socket as unknown as WebSocket, () => undefined);
});

it('pauses the socket while 256 KiB are buffered', async () => {
  const first = messages.first(10_000);
  socket.send('{}');
  expect(await first).toBe('{}');
  socket.send(Buffer.alloc(256 * 1024));
  expect(socket.isPaused).toBe(false);
  socket.send(Buffer.alloc(1));
  expect(socket.isPaused).toBe(true);
  const lengths: number[] = [];
  messages.deliver((data) => lengths.push(data.length));
  expect(lengths).toEqual([256 * 1024, 1]);
  expect(socket.isPaused).toBe(false);
  socket.send(Buffer.alloc(2 * 256 * 1024));
  expect(socket.isPaused).toBe(false);
});

it('pauses the socket while many small messages are buffered', () => {
  for (let sent = 0; sent < 16; sent++) socket.send(Buffer.alloc(1));
  expect(socket.isPaused).toBe(false);
  socket.send(Buffer.alloc(1));
  expect(socket.isPaused).toBe(true);
});
