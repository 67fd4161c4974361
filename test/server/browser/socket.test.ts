// @module-tag slow
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { ApiError } from '../../../src/contract/errors.js';
import { deferred } from '../../../src/lib/async/deferred.js';
import type { Shell } from '../../../src/shell/types.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';

/** A server with Chromium's debugging interface, which answers a message with itself. */
async function openBrowser(id: string) {
  const sockets = new Set<WebSocket>();
  const streams = new Set<Socket>();
  const tabs: string[] = [];
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    if (method === 'PUT') tabs.push(decodeURIComponent(url.split('?')[1] ?? ''));
    response.end(JSON.stringify({ Browser: 'Chrome/1.2', 'User-Agent': 'x'.repeat(5000) }));
  });
  const path = `/devtools/browser/${id}`;
  const sessions = new WebSocketServer({ noServer: true, maxPayload: 0 });
  server.on('connection', (socket: Socket) => {
    streams.add(socket);
    socket.on('error', () => undefined);
  });
  server.on('upgrade', (request, socket, head) => {
    if (request.url !== path) return socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
    sessions.handleUpgrade(request, socket, head, (browser) => {
      sockets.add(browser);
      browser.on('message', (data: Buffer, isBinary) => browser.send(data, { binary: isBinary }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const crash = () => {
    for (const stream of streams) stream.destroy();
    server.close();
  };
  return { port, path, sockets, tabs, crash };
}

let app: TestApp;
let id: string;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let finds: number;
let line: () => string;
/** Before the browser is found. */
let waits: () => Promise<void>;
const children: PassThrough[] = [];

beforeEach(async () => {
  app = await openTestApp();
  browser = await openBrowser('a');
  finds = 0;
  waits = async () => undefined;
  line = () => `running ${browser.port} ${browser.path}\n`;
  const { openShell } = app.world.connectors;
  const parts: Partial<Shell> = {
    run: async () => {
      finds += 1;
      await waits();
      return { stdout: line(), stderr: '', exitCode: 0, timedOut: false, truncated: false };
    },
    connect: async (port) => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect').catch(() => {
        throw new ApiError('guest_failed', 'Nothing listens there.');
      });
      return socket;
    },
    spawn: async () => {
      const [stdin, stdout] = [new PassThrough(), new PassThrough()];
      stdin.resume();
      children.push(stdin);
      stdout.write(line());
      const exit = once(stdin, 'end').then(() => ({ code: 0, signal: null }));
      const nothing = async () => undefined;
      const ends = { exit, end: nothing, kill: nothing, resize: () => undefined };
      return { stdin, stdout, stderr: new PassThrough(), ...ends };
    },
  };
  Object.assign(app.world.connectors, {
    openShell: async (...given: Parameters<typeof openShell>) =>
      Object.assign(await openShell(...given), parts),
  });
  await app.send('POST', '/api/projects', { body: { name: 'demo' } });
  const { json } = await app.send('POST', '/api/projects/demo/computers', { body: { name: 'a' } });
  id = String(json.id);
  // The service has tried a command.
  finds = 0;
});
afterEach(async () => {
  await app.close();
  browser.crash();
});

const url = (path = `/computers/${id}/cdp`) => `ws://127.0.0.1:${app.port}/api${path}`;
const keyed = () => ({ headers: { authorization: `Bearer ${app.world.key}` } });
const open = async (socket: WebSocket) => {
  await once(socket, 'open');
  return socket;
};
const refused = (socket: WebSocket) =>
  new Promise<number>((resolve) => {
    socket.on('error', () => undefined);
    socket.once('unexpected-response', (_, { statusCode = 0 }) => resolve(statusCode));
    socket.once('open', () => resolve(101));
  });
const echo = async (socket: WebSocket, text: string) => {
  socket.send(text);
  const [data] = await once(socket, 'message');
  return String(data);
};
const openedUrl = async (body: object = {}) => {
  const answer = await app.send('POST', `/api/computers/${id}/browser`, { body });
  expect(answer.status, answer.text).toBe(200);
  return String(answer.json.ws_url);
};

it('passes messages of any size on with the key, to several clients at once', async () => {
  const first = await open(new WebSocket(url(), keyed()));
  const second = await open(new WebSocket(url('/projects/demo/computers/a/cdp'), keyed()));
  expect(await echo(first, '{"id":1}')).toBe('{"id":1}');
  const large = 'x'.repeat(20_000_000);
  expect(await echo(second, large)).toBe(large);
  expect(finds).toBe(1);
  first.close(1000);
  await once(first, 'close');
  expect(await echo(second, 'still here')).toBe('still here');
  second.terminate();
  await eventually(async () => [...browser.sockets].every((socket) => socket.readyState === 3));
});

promise(6, 'a ticket opens the browser once, of one computer', async () => {
  const address = await openedUrl();
  expect(address).toMatch(`${url()}?ticket=vt_`);
  const other = address.replace(id, `cmp_${'0'.repeat(20)}`);
  expect(await refused(new WebSocket(other))).toBe(401);
  expect(await refused(new WebSocket(address))).toBe(401);
  const good = await openedUrl();
  const socket = await open(new WebSocket(good));
  expect(await echo(socket, 'hello')).toBe('hello');
  expect(await refused(new WebSocket(good))).toBe(401);
  expect(await refused(new WebSocket(url()))).toBe(401);
  socket.terminate();
});

it('describes the browser to clients that ask over HTTP, with an address for one connection', async () => {
  for (const end of ['', '/']) {
    const { json } = await app.send('GET', `/api/computers/${id}/cdp/json/version${end}`);
    expect(json).toMatchObject({ Browser: 'Chrome/1.2', 'V8-Version': '' });
    expect(String(json['User-Agent'])).toHaveLength(512);
    const socket = await open(new WebSocket(String(json.webSocketDebuggerUrl)));
    expect(await echo(socket, 'a')).toBe('a');
    socket.terminate();
  }
});

it('opens a page in a new tab of the browser that runs', async () => {
  await openedUrl({ url: 'https://example.com/?a=1&b=ü' });
  expect(browser.tabs).toEqual(['https://example.com/?a=1&b=ü']);
  const options = { body: { args: ['--lang=de'] } };
  const { status, json } = await app.send('POST', `/api/computers/${id}/browser`, options);
  expect([status, json.error]).toEqual([400, expect.stringContaining('running already')]);
});

it.each([
  { url: 'javascript:alert(1)' },
  { args: ['--user-data-dir=/tmp'] },
  { args: ['--remote-debugging-port=1'] },
  { args: ['https://example.com'] },
  { args: Array.from({ length: 65 }, () => '--a') },
  { profile: 'other' },
])('refuses %j', async (body) => {
  const { status } = await app.send('POST', `/api/computers/${id}/browser`, { body });
  expect(status).toBe(400);
});

it('says that the browser has ended, and starts it for the next client', async () => {
  const socket = await open(new WebSocket(url(), keyed()));
  browser.crash();
  const [code, reason] = await once(socket, 'close');
  expect([code, String(reason)]).toEqual([1001, 'The browser has ended.']);
  browser = await openBrowser('b');
  const next = await open(new WebSocket(url(), keyed()));
  expect(await echo(next, 'b')).toBe('b');
  expect(finds).toBe(2);
  next.terminate();
});

it('answers an HTTP error if there is no browser, and to a request that is no WebSocket', async () => {
  line = () => 'missing\n';
  expect(await refused(new WebSocket(url(), keyed()))).toBe(400);
  line = () => 'ended\n';
  expect(await refused(new WebSocket(url(), keyed()))).toBe(500);
  const { status, json } = await app.send('GET', `/api/computers/${id}/cdp`);
  expect([status, json.error]).toEqual([400, 'This path is a WebSocket.']);
});

it('ends when the service stops', async () => {
  const socket = await open(new WebSocket(url(), keyed()));
  const closed = once(socket, 'close');
  await app.close();
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([1012, 'The service stops.']);
  app = await openTestApp();
});

it('ends with its key', async () => {
  const { json } = await app.send('POST', '/api/keys', { body: { name: 'second' } });
  const headers = { authorization: `Bearer ${json.key}` };
  const socket = await open(new WebSocket(url(), { headers }));
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  await app.send('DELETE', `/api/keys/${json.id}`);
  await closed;
});

it('ends when another takes control, and stays open for its holder', async () => {
  const { json } = await app.send('POST', '/api/keys', { body: { name: 'agent', rights: 'act' } });
  const authorization = `Bearer ${json.key}`;
  const address = await openedUrl();
  const agents = await open(new WebSocket(url(), { headers: { authorization } }));
  const own = await open(new WebSocket(url(), keyed()));
  const closed = once(agents, 'close');
  const control = { body: {} };
  expect((await app.send('POST', `/api/computers/${id}/control`, control)).status).toBe(200);
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([1013, 'Someone else took control of the computer.']);
  expect(await echo(own, 'holder')).toBe('holder');
  expect(await refused(new WebSocket(url(), { headers: { authorization } }))).toBe(400);
  // Of a key that has control.
  const again = await open(new WebSocket(address));
  await app.send('DELETE', `/api/computers/${id}/control`);
  const next = await open(new WebSocket(url(), { headers: { authorization } }));
  expect(await echo(next, 'given back')).toBe('given back');
  for (const socket of [own, again, next]) socket.terminate();
});

it('is refused when another takes control while the browser is found', async () => {
  const { json } = await app.send('POST', '/api/keys', { body: { name: 'agent', rights: 'act' } });
  const headers = { authorization: `Bearer ${json.key}` };
  const asked = deferred<void>();
  const found = deferred<void>();
  waits = async () => {
    asked.resolve();
    await found.promise;
  };
  const answered = refused(new WebSocket(url(), { headers }));
  await asked.promise;
  await app.send('POST', `/api/computers/${id}/control`, { body: {} });
  found.resolve();
  expect(await answered).toBe(400);
});

it('ends a temporary browser with its only connection', async () => {
  const address = await openedUrl({ profile: 'temporary' });
  const child = children.at(-1);
  const socket = await open(new WebSocket(address));
  expect(await echo(socket, 'own')).toBe('own');
  expect(child?.writableEnded).toBe(false);
  socket.close();
  await eventually(async () => child?.writableEnded === true);
});

promise(29, 'a computer has at most 16 temporary browsers', async () => {
  for (let i = 0; i < 16; i += 1) await openedUrl({ profile: 'temporary' });
  const body = { profile: 'temporary' };
  const { status, json } = await app.send('POST', `/api/computers/${id}/browser`, { body });
  expect([status, json.error]).toEqual([400, expect.stringContaining('16 temporary browsers')]);
});

promise(29, 'what a client does not read stays with the browser', async () => {
  const socket = await open(new WebSocket(url(), keyed()));
  const [theirs] = browser.sockets;
  socket.pause();
  const chunk = Buffer.alloc(1024 * 1024);
  for (let i = 0; i < 64; i += 1) theirs?.send(chunk);
  await new Promise((resolve) => setTimeout(resolve, 300));
  // The rest of 64 MiB is in buffers of the kernel.
  expect(theirs?.bufferedAmount).toBeGreaterThan(40 * 1024 * 1024);
  socket.resume();
  await eventually(async () => theirs?.bufferedAmount === 0);
  socket.terminate();
});

it('opens no page in a browser that was found after another has taken control', async () => {
  const key = await app.send('POST', '/api/keys', { body: { name: 'agent', rights: 'act' } });
  const searched = deferred<void>();
  const found = deferred<void>();
  waits = () => {
    searched.resolve();
    return found.promise;
  };
  const opening = app.send('POST', `/api/computers/${id}/browser`, {
    ...{ body: { url: 'https://example.com/' }, authorization: `Bearer ${key.json.key}` },
  });
  await searched.promise;
  expect((await app.send('POST', `/api/computers/${id}/control`, { body: {} })).status).toBe(200);
  found.resolve();
  const answer = await opening;
  expect([answer.status, answer.headers['x-error-code']]).toEqual([400, 'controlled']);
  expect(browser.tabs).toEqual([]);
});

it('keeps no connection of a client for each time that it asks for the browser', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  for (let i = 0; i < 30; i += 1) await app.send('GET', `/api/computers/${id}/cdp/json/version`);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

it('a client that leaves while the browser is silent is gone at once, and delays no stop', async () => {
  const searched = deferred<void>();
  waits = () => {
    searched.resolve();
    return new Promise(() => {});
  };
  const client = connect({ port: app.port, host: '127.0.0.1', allowHalfOpen: true });
  const upgrade = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
  const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==';
  const lines = [
    `GET /api/computers/${id}/cdp HTTP/1.1`,
    `host: 127.0.0.1:${app.port}`,
    ...upgrade,
  ];
  client.write([...lines, key, `authorization: Bearer ${app.world.key}`, '', ''].join('\r\n'));
  await searched.promise;
  const closed = once(client.resume(), 'close');
  client.end();
  await closed;
}, 10_000);
