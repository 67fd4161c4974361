import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect } from 'vitest';
import type { WebSocket } from 'ws';
import { limitMessages } from '../../../src/server/websocket/limit-messages.js';
import { promise } from '../../support/run/promise.js';

promise(29, 'a message that arrives in single bytes is counted with its overhead', () => {
  const [socket, wire] = [new EventEmitter(), new EventEmitter()];
  let held = 0;
  const share = {
    hold: (bytes: number) => {
      held += bytes;
    },
    close: () => undefined,
    send: () => undefined,
    highWater: () => 0,
  };
  const limits = { first: 100_000, later: 100_000 };
  const refusals: unknown[] = [];
  limitMessages(socket as WebSocket, wire as Socket, share, limits, (error) =>
    refusals.push(error),
  );
  for (let count = 0; count < 1000; count++) wire.emit('data', Buffer.of(0));
  expect(held).toBeGreaterThan(100_000);
  socket.emit('ping', Buffer.alloc(0));
  socket.emit('message', Buffer.alloc(1000), true);
  expect(held).toBe(0);
  expect(refusals).toEqual([]);
});
