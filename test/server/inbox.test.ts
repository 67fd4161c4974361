import { EventEmitter } from 'node:events';
import { beforeEach, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { Inbox } from '../../src/server/inbox.js';

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
let inbox: Inbox;
beforeEach(() => {
  socket = new Socket();
  inbox = new Inbox(socket as unknown as WebSocket);
});

it('reads nothing more while a mebibyte waits', async () => {
  const first = inbox.first(10_000);
  socket.send('{}');
  expect(await first).toBe('{}');
  socket.send(Buffer.alloc(1024 * 1024));
  expect(socket.isPaused).toBe(false);
  socket.send(Buffer.alloc(1));
  expect(socket.isPaused).toBe(true);
  const lengths: number[] = [];
  inbox.deliver((data) => lengths.push(data.length));
  expect(lengths).toEqual([1024 * 1024, 1]);
  expect(socket.isPaused).toBe(false);
  socket.send(Buffer.alloc(2 * 1024 * 1024));
  expect(socket.isPaused).toBe(false);
});

it('reads nothing more while many small messages wait', () => {
  for (let sent = 0; sent < 16; sent++) socket.send(Buffer.alloc(1));
  expect(socket.isPaused).toBe(false);
  socket.send(Buffer.alloc(1));
  expect(socket.isPaused).toBe(true);
});
