// @module-tag slow
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import {
  acceptOf,
  describeBrowser,
  openDevTools,
  openTab,
} from '../../../src/shell/browser/devtools.js';
import type { Shell } from '../../../src/shell/types.js';
import { promise } from '../../support/run/promise.js';

const ENDPOINT = { port: 9222, path: '/devtools/browser/x', started: false };

let server: Server | undefined;
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await new Promise((done) => (server ? server.close(done) : done(undefined)));
  server = undefined;
});

/** A guest whose browser is `answer`; `open` has the service's ends of its connections. */
async function openGuest(answer: (socket: Socket, asked: string) => void) {
  server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (asked) => answer(socket, String(asked)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = new Set<Socket>();
  const shell = {
    connect: async () => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      await once(socket, 'connect');
      return socket;
    },
  };
  return { shell: shell as unknown as Shell, open };
}

const ok = (body: string, more = '') =>
  `HTTP/1.1 200 OK\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const VERSION = '{"Browser":"Chrome/140"}';

it('asks a browser what it is, and leaves no connection when that keeps it open', async () => {
  const asked: string[] = [];
  const { shell, open } = await openGuest((socket, text) => {
    asked.push(text);
    // In three parts, and what follows the answer is nobody's.
    socket.write(ok(VERSION).slice(0, 10));
    setTimeout(() => socket.write(ok(VERSION).slice(10, -3)), 5);
    setTimeout(() => socket.write(`${VERSION.slice(-3)}HTTP/1.1 200 OK\r\n\r\n`), 10);
  });
  for (let i = 0; i < 3; i += 1) {
    expect(await describeBrowser(shell, ENDPOINT)).toEqual({ Browser: 'Chrome/140' });
  }
  await expect.poll(() => open.size).toBe(0);
  expect(asked[0]).toBe('GET /json/version HTTP/1.1\r\nhost: 127.0.0.1:9222\r\n\r\n');
});

it('opens a tab at an address, which stays one word of the request', async () => {
  const asked: string[] = [];
  const { shell, open } = await openGuest((socket, text) => {
    asked.push(text);
    socket.write('HTTP/1.1 200 OK\r\n\r\n{}');
    socket.end();
  });
  await openTab(shell, ENDPOINT, 'http://example.com/ HTTP/1.1\r\nx: é');
  expect(asked[0]?.split('\r\n')).toEqual([
    'PUT /json/new?http%3A%2F%2Fexample.com%2F%20HTTP%2F1.1%0D%0Ax%3A%20%C3%A9 HTTP/1.1',
    'host: 127.0.0.1:9222',
    '',
    '',
  ]);
  await expect.poll(() => open.size).toBe(0);
});

it('opens the WebSocket, and keeps what came with the answer', async () => {
  const { shell } = await openGuest((socket, text) => {
    const key = /sec-websocket-key: (.*)\r/.exec(text)?.[1] ?? '';
    const head = `HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: ${acceptOf(key)}`;
    socket.write(`${head}\r\n\r\n${'frames'.repeat(20_000)}`);
  });
  const tunnel = await openDevTools(shell, ENDPOINT, 'dGhlIHNhbXBsZSBub25jZQ==');
  let received = '';
  for await (const chunk of tunnel) {
    received += chunk;
    if (received.length === 120_000) break;
  }
  expect(received).toBe('frames'.repeat(20_000));
});

it.each([
  ['another key', `HTTP/1.1 101 x\r\nSec-WebSocket-Accept: ${acceptOf('other')}\r\n\r\n`],
  ['no upgrade', ok(VERSION)],
])('opens no WebSocket after %s', async (_, answer) => {
  const { shell, open } = await openGuest((socket) => socket.write(answer));
  const opened = openDevTools(shell, ENDPOINT, 'key');
  await expect(opened).rejects.toMatchObject({ code: 'guest_failed' });
  await expect.poll(() => open.size).toBe(0);
});

it('sends no path that is more than one', async () => {
  const { shell, open } = await openGuest(() => undefined);
  for (const path of ['/x HTTP/1.1\r\nx: y', 'x', '/é', '/\n']) {
    const opened = openDevTools(shell, { ...ENDPOINT, path }, 'key');
    await expect(opened).rejects.toMatchObject({ code: 'guest_failed' });
  }
  expect(open.size).toBe(0);
});

promise(
  29,
  'a guest that answers without end in place of a browser is cut off',
  async (report) => {
    const INFO = 'HTTP/1.1 102 P\r\n\r\n'.repeat(3_000);
    const answers: Record<string, string> = {
      'no head': 'x'.repeat(70_000),
      'many lines': 'HTTP/1.1 200 OK\r\n'.repeat(5_000),
      'more answers of 1xx': INFO,
      'a long body': ok('x'.repeat(66_000)),
      'a body of no length': `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(66_000)}`,
      'a wrong length': 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}',
      'a length twice': 'HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\n{}',
      chunks: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n',
      'another status': 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n',
      'no HTTP': 'SSH-2.0-x\r\n\r\n',
      'no object': ok('[1'),
    };
    for (const [what, answer] of Object.entries(answers)) {
      const { shell, open } = await openGuest((socket) => {
        const more = () => {
          while (!socket.destroyed && socket.write(answer));
        };
        socket.on('drain', more);
        more();
      });
      const asked = describeBrowser(shell, ENDPOINT);
      await expect(asked, what).rejects.toMatchObject({ code: 'guest_failed' });
      await expect.poll(() => [what, open.size]).toEqual([what, 0]);
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server?.close(done));
    }
    report(`${Object.keys(answers).length} kinds of endless answers`);
  },
  60_000,
);

it('fails when the answer is cut off', async () => {
  const { shell } = await openGuest((socket) => socket.end(ok(VERSION).slice(0, -3)));
  const asked = describeBrowser(shell, ENDPOINT);
  await expect(asked).rejects.toMatchObject({ code: 'guest_failed' });
});

it('says that the browser does not answer when nothing listens on its port', async () => {
  const shell = {
    connect: () => Promise.reject(new ApiError('target_failed', 'Nothing listens.')),
  } as unknown as Shell;
  await expect(describeBrowser(shell, ENDPOINT)).rejects.toMatchObject({ code: 'guest_failed' });
});
