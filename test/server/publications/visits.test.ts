// @module-tag slow
import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { ApiError } from '../../../src/contract/errors.js';
import type { Shell } from '../../../src/shell/types.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';

let app: TestApp;
let guest: Server;
let port: number;
/** What the program in the computer does with a request. */
let program: RequestListener;
let sockets: Set<Socket>;
const closing: (() => void)[] = [];

const publications = '/api/projects/demo/computers/desk/publications';

beforeEach(async () => {
  app = await openTestApp({ previews: { domain: 'preview.example.com' } });
  sockets = new Set();
  guest = createServer((request, response) => program(request, response));
  guest.on('connection', (socket: Socket) => sockets.add(socket));
  guest.on('error', () => undefined);
  port = await listen(guest);
  program = (request, response) => void request.pipe(response);
  connectShells();
  await app.send('POST', '/api/projects', { body: { name: 'demo' } });
  await app.send('POST', '/api/projects/demo/computers', { body: { name: 'desk' } });
});
afterEach(async () => {
  await app.close();
  for (const close of closing.splice(0)) close();
  guest.closeAllConnections();
  guest.close();
});

/** Ports of computers are those of this host. */
function connectShells(): void {
  const { openShell } = app.world.connectors;
  const parts: Partial<Shell> = {
    connect: async (at) => {
      const socket = connect({ port: at, host: '127.0.0.1', allowHalfOpen: true });
      await once(socket, 'connect').catch(() => {
        throw new ApiError('target_failed', `Nothing in the computer listens on port ${at}.`);
      });
      return socket;
    },
  };
  const opening: typeof openShell = async (...given) =>
    Object.assign(await openShell(...given), parts);
  Object.assign(app.world.connectors, { openShell: opening });
}

async function listen(server: { listen(port: number, host: string): unknown }): Promise<number> {
  const listening = server as Server;
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return (listening.address() as AddressInfo).port;
}

interface Published {
  readonly host: string;
  readonly ticket: string;
}

async function publish(body: object = {}): Promise<Published> {
  const answer = await app.send('POST', publications, { body: { port, ...body } });
  expect(answer.status, answer.text).toBe(200);
  const link = new URL(String(answer.json.link));
  return { host: link.host, ticket: link.searchParams.get('vc_ticket') ?? '' };
}

interface Asking {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | readonly string[]>;
  readonly body?: string | Readable;
}

interface Given {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

async function ask(
  host: string,
  { method = 'GET', path = '/', headers = {}, body }: Asking = {},
): Promise<Given> {
  const sent = httpRequest({
    ...{ host: '127.0.0.1', port: app.port, method, path, agent: false },
    headers: { host, ...headers } as Record<string, string>,
  });
  if (body instanceof Readable) body.pipe(sent);
  else sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const text = Buffer.concat(await answer.toArray()).toString();
  return { status: answer.statusCode ?? 0, headers: answer.headers, text };
}

const cookie = ({ ticket }: Published) => ({ cookie: `vc_publication=${ticket}` });

it('the link is exchanged for a cookie of its host, and nothing else opens a private one', async () => {
  program = (request, response) => void response.end(`${request.method} ${request.url}`);
  const desk = await publish();
  expect(desk.host).toMatch(/^\d+-desk-[0-9a-z]{26}\.preview\.example\.com$/);
  const { host, ticket } = desk;
  expect(ticket).toMatch(/^vt_[0-9a-z]{32}$/);
  const entered = await ask(host, { path: `//a/?x=1&vc_ticket=${ticket}&y=%20` });
  expect(entered.status).toBe(302);
  expect(entered.headers).toMatchObject({
    location: `http://${host}//a/?x=1&y=%20`,
    'set-cookie': [`vc_publication=${ticket}; Path=/; HttpOnly; SameSite=Lax`],
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
  const overTls = { 'x-forwarded-proto': 'https' };
  const secured = await ask(host, { path: `/?vc_ticket=${ticket}`, headers: overTls });
  expect(secured.headers).toMatchObject({
    location: `https://${host}/`,
    'set-cookie': [`__Host-vc_publication=${ticket}; Path=/; HttpOnly; SameSite=Lax; Secure`],
  });
  const open = await ask(host, { path: '/a?b=c', headers: cookie(desk) });
  expect(open).toMatchObject({ status: 200, text: 'GET /a?b=c' });
  // Any number of times, and with the ticket as a token.
  const headers = { authorization: `Bearer ${ticket}` };
  expect(await ask(host, { method: 'PUT', headers })).toMatchObject({ text: 'PUT /' });
  expect(await ask(host, { method: 'POST', path: `/b?vc_ticket=${ticket}` })).toMatchObject({
    text: 'POST /b',
  });
  const wrong = `vt_${'0'.repeat(32)}`;
  const others: Asking[] = [
    {},
    { path: `/?vc_ticket=${wrong}` },
    { headers: cookie({ host, ticket: wrong }) },
    { headers: { authorization: `Bearer ${app.world.key}` } },
    // A cookie over TLS has the prefix.
    { headers: { ...overTls, ...cookie(desk) } },
    // What the page of another publication causes.
    { headers: { ...cookie(desk), origin: 'http://other.preview.example.com' } },
    { headers: { ...cookie(desk), origin: 'null' } },
    { headers: { ...cookie(desk), 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'script' } },
  ];
  for (const refused of others) {
    const answer = await ask(host, refused);
    expect(answer.status, JSON.stringify(refused)).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.text).toContain('Open the link');
  }
  const link = { ...cookie(desk), 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' };
  expect((await ask(host, { headers: link })).status).toBe(200);
  const own = { ...cookie(desk), origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
  expect((await ask(host, { method: 'POST', headers: own })).status).toBe(200);
});

it('a public one needs no ticket', async () => {
  program = (request, response) => void response.end(request.url);
  const { host, ticket } = await publish({ public: true });
  expect(ticket).toBe('');
  expect(await ask(`${host}:4700`, { path: '/x?y' })).toMatchObject({ status: 200, text: '/x?y' });
  // Names are the same in any case.
  expect((await ask(host.toUpperCase())).status).toBe(200);
});

promise(5, 'only hosts of publications are routed; other foreign ones are refused', async () => {
  const { host } = await publish({ public: true });
  const label = host.split('.')[0] ?? '';
  const near = label.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  for (const foreign of [
    'evil.example.com',
    'preview.example.com',
    `${label}.example.com`,
    `${label}.evil-preview.example.com`,
    `${label}.previewxexample.com`,
    `x.${host}`,
    `${host}.evil.example.com`,
    `${host}:1:2`,
    label,
  ]) {
    expect((await ask(foreign)).status, foreign).toBe(400);
  }
  for (const ended of [`${near}.preview.example.com`, `${near}.localhost`]) {
    expect((await ask(ended)).status, ended).toBe(404);
  }
  expect((await ask(`${label}.localhost`)).status).toBe(200);
  const doubled = `GET / HTTP/1.1\r\nHost: ${host}\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`;
  expect(await app.raw(doubled)).toMatch(/^HTTP\/1.1 400/);
  // The service itself is not reached by their names.
  const authorization = { authorization: `Bearer ${app.world.key}` };
  const health = await ask(host, { path: '/api/health', headers: authorization });
  expect(health.text).not.toContain('version');
  const other = `GET http://127.0.0.1/api/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  expect(await app.raw(other)).toMatch(/^HTTP\/1.1 400/);
});

it('passes headers on, without those of a connection and secrets of the service', async () => {
  let received: IncomingMessage | undefined;
  program = (request, response) => {
    received = request;
    response.writeHead(201, 'Made', [
      ...['X-One', '1', 'X-One', '2', 'Keep-Alive', 'timeout=1', 'Connection', 'X-Two'],
      ...['X-Two', 'x', 'Clear-Site-Data', '"cookies"', 'Upgrade', 'h2c'],
      ...['Set-Cookie', 'a=b; Domain=example.com; Path=/', 'Set-Cookie', 'c=d; domain'],
      ...['Set-Cookie', '__Host-vc_session_443=vs_x; Path=/; Secure', 'Content-Length', '2'],
    ]);
    response.end('ok');
  };
  const { host, ticket } = await publish();
  const key = app.world.key;
  const answer = await ask(host, {
    path: '/%zz/..//?q=%2f',
    headers: {
      ...{ Connection: 'X-Hop, Host, close', 'X-Hop': '1', TE: 'trailers', 'X-Kept': 'ü' },
      ...{ 'Proxy-Authorization': 'Basic x', 'X-Forwarded-For': '192.0.2.1' },
      ...{
        'X-Forwarded-Host': 'evil.example.com',
        'X-Api-Key': key,
        Authorization: `Bearer ${ticket}`,
      },
      'Sec-WebSocket-Protocol': `app, vc.key.${Buffer.from(key).toString('base64url')}`,
      Cookie: `theirs=1; vc_publication=${ticket}; vc_session_4700=vs_1;__Host-vc_session_443=vs_2; b=2`,
    },
  });
  expect(received?.url).toBe('/%zz/..//?q=%2f');
  expect(received?.headers).toEqual({
    ...{ host, connection: 'close', 'x-kept': 'ü', cookie: 'theirs=1; b=2' },
    ...{ 'x-forwarded-for': '192.0.2.1, 127.0.0.1', 'x-forwarded-host': host },
    'x-forwarded-proto': 'http',
  });
  expect(answer).toMatchObject({ status: 201, text: 'ok' });
  const { connection: _, date: __, ...headers } = answer.headers;
  expect(headers).toEqual({
    ...{ 'x-one': '1, 2', 'set-cookie': ['a=b; Path=/', 'c=d'], 'content-length': '2' },
  });
});

it('no answer of a guest is longer or shorter than the client is told', async () => {
  const answers = [
    'Content-Length: 2\r\n\r\nok, and more',
    'Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
    'Content-Length: 2\r\nContent-Length: 3\r\n\r\nok!',
    'Content-Length: 3\r\n\r\nok',
  ];
  const seen: (string | number)[] = [];
  for (const rest of answers) {
    const server = createNetServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${rest}`));
    });
    closing.push(() => server.close());
    const other = await publish({ public: true, port: await listen(server) });
    const answer = await ask(other.host).catch(() => undefined);
    seen.push(answer === undefined ? 'cut off' : answer.status === 200 ? answer.text : 502);
  }
  expect(seen).toEqual(['ok', 502, 502, 'cut off']);
});

it('a guest sees its own Authorization', async () => {
  program = (request, response) => void response.end(request.headers.authorization);
  const { host } = await publish({ public: true });
  const headers = { authorization: 'Basic dXNlcjpwYXNz' };
  expect((await ask(host, { headers })).text).toBe('Basic dXNlcjpwYXNz');
});

it('bodies of any size pass both ways, and no more is read than the other side takes', async () => {
  const { host } = await publish({ public: true });
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const large = () => Readable.from(Array.from({ length: 1600 }, () => chunk));
  const echoed = await ask(host, { method: 'POST', body: large() });
  expect(echoed.text.length).toBe(1600 * chunk.length);
  // An endless answer to a client that reads nothing.
  let written = 0;
  program = (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length;
    };
    response.on('drain', more);
    more();
  };
  const sent = httpRequest({ host: '127.0.0.1', port: app.port, headers: { host }, agent: false });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.pause();
  let before = -1;
  await eventually(async () => {
    await sleep(300);
    const isStill = written === before;
    before = written;
    return isStill;
  });
  expect(written).toBeLessThan(32 * 1024 * 1024);
  answer.destroy();
  // The guest's side ends with the client.
  await eventually(async () => [...sockets].every(({ destroyed }) => destroyed));
});

it('answers to requests with no or an unread body', async () => {
  const { host } = await publish({ public: true });
  program = (request, response) => {
    response.end(`${request.method} ${request.headers['content-length']} ${request.headers.te}`);
  };
  expect((await ask(host, { method: 'POST' })).text).toBe('POST 0 undefined');
  expect((await ask(host, { method: 'PROPFIND', path: '/a' })).text).toContain('PROPFIND');
  expect((await ask(host, { method: 'HEAD' })).text).toBe('');
  expect((await ask(host, { method: 'OPTIONS' })).text).toContain('OPTIONS undefined');
  const expecting = { expect: '100-continue' };
  program = (request, response) => void request.pipe(response);
  expect((await ask(host, { method: 'PUT', headers: expecting, body: 'x' })).text).toBe('x');
  // An answer before the body has come.
  program = (_, response) => void response.writeHead(413).end('too large');
  const endless = new PassThrough();
  endless.write('x');
  const early = await ask(host, { method: 'POST', body: endless });
  expect(early).toMatchObject({ status: 413, text: 'too large' });
});

it('a client that sends no body is disconnected, but not one whose body the program does not read', async () => {
  const { host } = await publish({ public: true });
  const urls: (string | undefined)[] = [];
  // The headers come without the body.
  program = (request) => void urls.push(request.url);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const post = (path: string, length: number) => {
    const headers = { host, 'content-length': length };
    const to = { host: '127.0.0.1', port: app.port, method: 'POST', agent: false } as const;
    const sent = httpRequest({ ...to, path, headers });
    sent.on('error', () => undefined);
    sent.flushHeaders();
    return sent;
  };
  const stalled = post('/stalled', 10);
  const unread = post('/unread', 64 * 2 ** 20);
  const ended: string[] = [];
  stalled.once('close', () => ended.push('stalled'));
  unread.once('close', () => ended.push('unread'));
  unread.write(Buffer.alloc(32 * 2 ** 20));
  await eventually(async () => urls.length === 2);
  // What the connections hold has been taken.
  await sleep(500);
  for (let second = 0; second < 140; second += 5) {
    vi.advanceTimersByTime(5_000);
    await sleep(5);
  }
  await eventually(async () => ended.length > 0);
  expect(ended).toEqual(['stalled']);
  unread.destroy();
});

it('says what to do if the program or the computer does not answer', async () => {
  const { host } = await publish({ public: true });
  const servers = [
    (socket: Socket) => socket.end('SSH-2.0-OpenSSH\r\n'),
    (socket: Socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  ];
  for (const serve of servers) {
    const server = createNetServer((socket) => {
      socket.on('error', () => undefined);
      serve(socket);
    });
    closing.push(() => server.close());
    const other = await publish({ public: true, port: await listen(server) });
    const answer = await ask(other.host);
    expect(answer.status).toBe(502);
    expect(answer.text).toMatch(/HTTP|without an answer/);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  }
  program = (request) => request.socket.destroy();
  const cut = await ask(host);
  expect(cut).toMatchObject({ status: 502 });
  expect(cut.text).toContain('closed the connection without an answer');
  guest.closeAllConnections();
  guest.close();
  await once(guest, 'close');
  const closed = await ask(host, { method: 'POST', body: 'x'.repeat(1_000_000) });
  expect(closed).toMatchObject({ status: 502 });
  expect(closed.text).toContain(`listens on port ${port}`);
  await app.send('POST', '/api/projects/demo/computers/desk/stop');
  const stopped = await ask(host);
  expect(stopped.status).toBe(503);
  expect(stopped.text).toContain('vc start demo/desk');
  await app.send('DELETE', '/api/projects/demo/computers/desk');
  expect((await ask(host)).status).toBe(404);
});

it('WebSockets pass unchanged, and end with the publication', async () => {
  const server = new WebSocketServer({ server: guest, maxPayload: 0 });
  server.on('connection', (socket) => {
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    socket.send('hello');
  });
  const desk = await publish();
  const { host } = desk;
  const url = `ws://127.0.0.1:${app.port}/socket`;
  const open = async (headers: Record<string, string>, path = '') => {
    const socket = new WebSocket(`${url}${path}`, ['app'], { headers: { host, ...headers } });
    socket.on('error', () => undefined);
    const [first] = await once(socket, 'message');
    expect(String(first)).toBe('hello');
    return socket;
  };
  const socket = await open(cookie(desk));
  expect(socket.protocol).toBe('app');
  const large = 'x'.repeat(20_000_000);
  socket.send(large);
  expect(String((await once(socket, 'message'))[0])).toBe(large);
  socket.close(4001, 'done');
  expect((await once(socket, 'close'))[0]).toBe(4001);
  const status = (headers: Record<string, string>) =>
    new Promise((resolve) => {
      const refused = new WebSocket(url, { headers: { host, ...headers } });
      refused.on('error', () => undefined);
      refused.once('unexpected-response', (_, { statusCode }) => resolve(statusCode));
    });
  expect(await status({})).toBe(401);
  expect(await status({ ...cookie(desk), origin: 'http://evil.example.com' })).toBe(401);
  const other = await open({}, `?vc_ticket=${desk.ticket}`);
  const ended = once(other, 'close');
  expect((await app.send('DELETE', `${publications}/${port}`)).status).toBe(200);
  await ended;
  const gone = await ask(host);
  expect(gone.status).toBe(404);
  expect(gone.text).toContain('the publication has ended');
});

it('open connections end with the key that has published', async () => {
  program = (_, response) => void response.write('x');
  const { json } = await app.send('POST', '/api/keys', { body: { name: 'second' } });
  const authorization = `Bearer ${json.key}`;
  const answer = await app.send('POST', publications, {
    authorization,
    body: { port, public: true },
  });
  const { host } = new URL(String(answer.json.link));
  const sent = httpRequest({ host: '127.0.0.1', port: app.port, headers: { host }, agent: false });
  sent.on('error', () => undefined);
  sent.end();
  const [open] = (await once(sent, 'response')) as [IncomingMessage];
  open.on('error', () => undefined).resume();
  const ended = new Promise((resolve) => open.once('close', resolve));
  await app.send('DELETE', `/api/keys/${json.id}`);
  await ended;
  expect((await ask(host)).status).toBe(404);
});

it('an answer that agrees to no upgrade is passed on', async () => {
  guest.on('upgrade', (_, socket) => {
    socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno');
  });
  const { host } = await publish({ public: true });
  const headers = { connection: 'Upgrade', upgrade: 'websocket' };
  expect(await ask(host, { headers })).toMatchObject({ status: 404, text: 'no' });
  const withBody = { ...headers, 'content-length': '1' };
  expect((await ask(host, { method: 'POST', headers: withBody, body: 'x' })).status).toBe(400);
});

it('connections are limited', async () => {
  program = (_, response) => void response.write('x');
  const { host } = await publish({ public: true });
  const open = await Promise.all(
    Array.from({ length: 128 }, async () => {
      const sent = httpRequest({
        host: '127.0.0.1',
        port: app.port,
        headers: { host },
        agent: false,
      });
      sent.end();
      await once(sent, 'response');
      return sent;
    }),
  );
  expect(await ask(host)).toMatchObject({ status: 429 });
  // The owner's own requests are not affected.
  expect((await app.send('GET', '/api/publications')).status).toBe(200);
  for (const sent of open) sent.destroy();
  program = (_, response) => void response.end('free');
  await eventually(async () => (await ask(host)).status === 200);
});

it('publications live over a restart of the service', async () => {
  const { host } = await publish();
  app = await app.restart();
  const { json } = await app.send('GET', '/api/publications');
  expect(json.publications).toMatchObject([{ url: `https://${host}/` }]);
  expect((await ask(host)).status).toBe(401);
});
