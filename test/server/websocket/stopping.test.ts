// @module-tag slow
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'vitest';
import { WebSocket } from 'ws';
import { openTestApp } from '../../support/app.js';

const HANDSHAKE = [
  'connection: upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
];

test('a service stops although clients open WebSockets meanwhile, and answer no close', async () => {
  const app = await openTestApp();
  const authorization = `Bearer ${app.world.key}`;
  const open = () => {
    const socket = connect({ port: app.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined).resume();
    const lines = ['GET /api/wall HTTP/1.1', `host: localhost:${app.port}`, ...HANDSHAKE];
    socket.write([...lines, `authorization: ${authorization}`, '', ''].join('\r\n'));
    return socket;
  };
  const polite = new WebSocket(`ws://127.0.0.1:${app.port}/api/wall`, {
    headers: { authorization },
  });
  await once(polite, 'open');
  // Reads nothing of WebSockets, so it answers no close.
  await once(open(), 'data');
  let late: NodeJS.Timeout | undefined;
  const more = () => {
    open();
    late = setTimeout(more, 20);
  };
  more();
  const closed = once(polite, 'close');
  await app.close();
  clearTimeout(late);
  await closed;
}, 30_000);
