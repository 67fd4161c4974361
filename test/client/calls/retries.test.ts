// @module-tag slow
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  ServiceError,
  ServiceUnreachableError,
  VirtualComputers,
  type VirtualComputersOptions,
} from '../../../src/client/index.js';
import { type FakeService, startFakeService } from '../../cli/support/fake-service.js';

let service: FakeService;
const open: VirtualComputers[] = [];
beforeEach(async () => {
  service = await startFakeService();
});
afterEach(async () => {
  for (const vc of open.splice(0)) await vc.close();
  await service.close();
});

function client(options: VirtualComputersOptions = {}): VirtualComputers {
  const vc = new VirtualComputers({ baseUrl: service.baseUrl, apiKey: 'vc_key', ...options });
  open.push(vc);
  return vc;
}

/** Answers `times` with an error, then with success. */
function failFirst(route: string, times: number, status: number, body = '{"error":"no"}'): void {
  let left = times;
  service.handle(route, (_, response) => {
    left -= 1;
    if (left >= 0) response.writeHead(status, { 'retry-after': '0' }).end(body);
    else response.end('{"projects":[],"id":"prj_1"}');
  });
}

it('repeats any request after 429, and a GET after 502 and 503', async () => {
  failFirst('POST /projects', 2, 429);
  await client().projects.create('a');
  for (const [status, body] of [
    [502, '<html>'],
    [503, '{"error":"no"}'],
  ] as const) {
    failFirst('GET /projects', 2, status, body);
    expect(await client().projects.list()).toEqual([]);
  }
  expect(service.received).toHaveLength(9);
});

it.each([
  ['POST', 503, 1],
  ['GET', 500, 1],
  ['GET', 400, 1],
  ['GET', 503, 3],
])('sends a %s that is answered %i in vain %i times', async (method, status, times) => {
  failFirst(`${method} /keys`, 100, status);
  const { keys } = client();
  const work = method === 'GET' ? keys.list() : keys.create('a');
  await expect(work).rejects.toMatchObject({ status });
  expect(service.received).toHaveLength(times);
});

it('does not repeat with maxRetries 0, after a long Retry-After, or a body that is a stream', async () => {
  failFirst('GET /projects', 1, 503);
  await expect(client({ maxRetries: 0 }).projects.list()).rejects.toThrow(ServiceError);
  service.handle('GET /projects', (_, response) =>
    response.writeHead(503, { 'retry-after': '3600' }).end('{"error":"no"}'),
  );
  await expect(client().projects.list()).rejects.toMatchObject({ retryAfter: 3600 });
  failFirst('PUT /computers/cmp_1/files', 1, 429);
  const { files } = client().computer({ id: 'cmp_1' });
  await expect(files.write('x', Readable.from(['a']))).rejects.toMatchObject({ status: 429 });
  expect(service.received).toHaveLength(3);
});

it('repeats a refused connection until a service listens', async () => {
  const { baseUrl } = service;
  await service.close();
  const refused = client({ maxRetries: 0 }).health();
  await expect(refused).rejects.toThrow(ServiceUnreachableError);
  const health = client({ maxRetries: 1 }).health();
  // More attempts than maxRetries: a service of this machine may restart.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const { createServer } = await import('node:http');
  const server = createServer((_, response) =>
    response.setHeader('x-api-version', '1').end('{"status":"ok"}'),
  );
  await new Promise<void>((resolve) =>
    server.listen(Number(new URL(baseUrl).port), '127.0.0.1', resolve),
  );
  expect(await health).toEqual({ status: 'ok' });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it('answers with the error, not that time is up, when the pause outlasts timeoutMs', async () => {
  service.handle('GET /projects', (_, response) =>
    response.writeHead(503, { 'retry-after': '20' }).end('{"error":"no"}'),
  );
  const work = client().projects.list({ timeoutMs: 300 });
  await expect(work).rejects.toMatchObject({ name: 'ServiceError', status: 503 });
});

it('an abort ends the pause', async () => {
  const controller = new AbortController();
  service.handle('GET /projects', (_, response) => {
    response.writeHead(503, { 'retry-after': '20' }).end('{"error":"no"}');
    setTimeout(() => controller.abort(), 20);
  });
  const work = client().projects.list({ signal: controller.signal });
  await expect(work).rejects.toMatchObject({ name: 'AbortError' });
});

it('timeoutMs of the client applies to each operation', async () => {
  service.handle('GET /projects', () => {});
  const work = client({ timeoutMs: 100 }).projects.list();
  await expect(work).rejects.toMatchObject({ name: 'ServiceTimeoutError' });
});

it.each([{ maxRetries: -1 }, { maxRetries: 1.5 }, { maxRetries: 11 }, { timeoutMs: 0 }])(
  'refuses %j',
  (options) => {
    expect(() => client(options)).toThrow(TypeError);
  },
);

it('repeats a creation with the same key after 503, 502 and a lost connection', async () => {
  const drop = (response: ServerResponse) => void response.socket?.destroy();
  const failures = [
    (response: ServerResponse) =>
      response.writeHead(503, { 'retry-after': '0' }).end('{"error":"no"}'),
    (response: ServerResponse) => response.writeHead(502, { 'retry-after': '0' }).end('<html>'),
    drop,
    drop,
  ];
  service.handle('POST /projects', (_, response) => {
    const fail = failures.shift();
    if (fail) fail(response);
    else response.end('{"id":"prj_1"}');
  });
  expect(await client({ maxRetries: 4 }).projects.create('a')).toEqual({ id: 'prj_1' });
  const keys = () => service.received.map(({ headers }) => headers['idempotency-key']);
  expect(keys()).toHaveLength(5);
  expect(new Set(keys()).size).toBe(1);
  expect(keys()[0]).toMatch(/^[0-9a-f]{32}$/);
  await client().projects.create('b');
  expect(keys().at(-1)).not.toBe(keys()[0]);
});

it('sends a key of the caller, and none that nobody repeats', async () => {
  failFirst('POST /projects', 0, 200);
  const { client: inner } = client({ maxRetries: 0 });
  await inner.request('createProject', { body: { name: 'a' }, idempotencyKey: 'mine' });
  await inner.request('createProject', { body: { name: 'a' } });
  expect(service.received.map(({ headers }) => headers['idempotency-key'])).toEqual([
    ...['mine', undefined],
  ]);
});
