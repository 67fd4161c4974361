import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { promise } from '../../support/run/promise.js';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app.close());

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

it('no path but those of the contract becomes a WebSocket', async () => {
  const open = ['/api/health', '/api/openapi.json', '/api/view/x', '/api/view/assets/view.js'];
  const sent = await Promise.all([
    ...open.map((path) => app.send('GET', path, { headers: UPGRADE, authorization: null })),
    ...['/api/projects', '/api/me'].map((path) => app.send('GET', path, { headers: UPGRADE })),
    app.send('DELETE', '/api/projects/x', { headers: UPGRADE }),
  ]);
  expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 400));
  expect(sent[0]?.json.error).toBe('This path does not accept WebSockets.');
});

promise(29, 'a client without a key cannot leave a message in memory', async (report) => {
  const socket = connect(app.port, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  const head = Object.entries(UPGRADE).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET /api/health HTTP/1.1\r\nHost: localhost\r\n${head.join('')}\r\n`);
  const frame = Buffer.alloc(4 << 20, 0x41);
  frame[0] = 0x82;
  frame[1] = 0xff;
  frame.writeBigUInt64BE(8n << 20n, 2);
  socket.write(frame);
  // Perhaps with an error, if it is closed while it is written to.
  await new Promise((resolve) => socket.once('close', resolve));
  report('closed before the message');
});
