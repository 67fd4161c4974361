import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import {
  ServiceError,
  ServiceTimeoutError,
  ServiceUnreachableError,
  VirtualComputers,
} from '../../src/client/index.js';
import { type FakeService, startFakeService } from '../cli/support/fake-service.js';

let service: FakeService;
let vc: VirtualComputers;
beforeEach(async () => {
  service = await startFakeService();
  vc = new VirtualComputers({ baseUrl: service.baseUrl, apiKey: 'vc_key', maxRetries: 0 });
});
afterEach(async () => {
  await vc.close();
  await service.close();
});

const files = () => vc.computer({ id: 'cmp_1' }).files;
const failureOf = (work: Promise<unknown>) => work.then(String, (error: unknown) => error);

it('has a remedy when another program answers', async () => {
  for (const answer of [404, 200]) {
    service.handle('GET /projects', (_, response) => response.writeHead(answer).end('<h1>no</h1>'));
    const error = await failureOf(vc.projects.list());
    expect(error).toMatchObject({
      name: 'ServiceUnreachableError',
      remedy: expect.stringMatching(/^check the base URL/),
    });
    expect(String(error)).not.toContain('?');
  }
});

it('says how the base URL ends if it has no path', async () => {
  service.handle('GET /projects', (_, response) => response.writeHead(200).end('<h1>no</h1>'));
  const origin = new URL(service.baseUrl).origin;
  for (const baseUrl of [origin, `${origin}/`]) {
    const client = new VirtualComputers({ baseUrl, apiKey: 'vc_x', maxRetries: 0 });
    expect(await failureOf(client.projects.list())).toMatchObject({
      name: 'ServiceUnreachableError',
      remedy: expect.stringContaining(`ends with /api, such as ${origin}/api`),
    });
    await client.close();
  }
});

describe("a failure of the caller's own is that error", () => {
  beforeEach(() =>
    service.on('PUT /computers/cmp_1/files', { success: true, path: '/x', size: 1 }),
  );

  it('a stream that cannot be read', async () => {
    const failure = await failureOf(files().write('x', createReadStream('/does/not/exist')));
    expect(failure).toMatchObject({ code: 'ENOENT' });
  });

  it('a stream whose own connection breaks', async () => {
    const broken = Object.assign(new Error('my own'), { code: 'ECONNRESET' });
    async function* data() {
      yield 'a';
      throw broken;
    }
    expect(await failureOf(files().write('x', data()))).toBe(broken);
  });

  it.each([
    ['a stream', () => Readable.from(['ab'])],
    ['bytes', () => Buffer.from('ab')],
  ])('a size that %s does not have', async (_, data) => {
    for (const size of [1, 5]) {
      const failure = await failureOf(files().write('x', data(), { size }));
      expect(failure).toBeInstanceOf(RangeError);
      expect(failure).toMatchObject({ message: expect.stringContaining(`size is ${size}`) });
    }
  });

  it('a process that was closed', async () => {
    service.onProcess(() => {});
    const remote = await vc.computer({ id: 'cmp_1' }).process({ argv: ['sleep', '9'] });
    remote.close();
    await expect(remote.exited).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('but a connection that the service closes is one of the service', async () => {
    service.onProcess((_, socket) => socket.terminate());
    const remote = await vc.computer({ id: 'cmp_1' }).process({ argv: ['sleep', '9'] });
    await expect(remote.exited).rejects.toThrow(ServiceUnreachableError);
    service.handle('PUT /computers/cmp_1/files', (_, response) => response.socket?.destroy());
    await expect(files().write('x', 'a')).rejects.toThrow(ServiceUnreachableError);
  });
});

describe('an error answer keeps what it said', () => {
  const answer = (status: number, headers: Record<string, string>, body: string) =>
    service.handle('GET /me', (_, response) => response.writeHead(status, headers).end(body));
  const me = () => failureOf(vc.client.request('getMe'));

  it('its name, a code and a status that this version does not know', async () => {
    answer(418, { 'x-error-code': 'code_of_the_future' }, '{"error":"Not yet."}');
    const failure = await me();
    expect(failure).toBeInstanceOf(ServiceError);
    expect(failure).toMatchObject({
      ...{ name: 'ServiceError', code: 'code_of_the_future', status: 418, message: 'Not yet.' },
    });
    answer(402, {}, '{"error":"Pay."}');
    expect(await me()).toMatchObject({ code: 'invalid_request', status: 402 });
    answer(404, { 'x-error-code': 'gone_for_good' }, '{"error":"Gone."}');
    expect(await me()).toMatchObject({ code: 'gone_for_good', knownCode: 'not_found' });
  });

  it('headers and the time after which to try again', async () => {
    answer(429, { 'retry-after': '7', 'x-more': 'yes' }, '{"error":"Too many."}');
    expect(await me()).toMatchObject({ retryAfter: 7, headers: { 'x-more': 'yes' } });
    const soon = new Date(Date.now() + 60_000).toUTCString();
    answer(429, { 'retry-after': soon }, '{"error":"Too many."}');
    const { retryAfter } = (await me()) as ServiceError;
    expect(retryAfter).toBeGreaterThan(50);
    expect(retryAfter).toBeLessThanOrEqual(60);
    answer(429, { 'retry-after': 'soon' }, '{"error":"Too many."}');
    expect(await me()).toMatchObject({ retryAfter: undefined });
  });

  it("the status of a proxy's page", async () => {
    answer(502, { 'retry-after': '3' }, '<html>Bad Gateway</html>');
    const failure = await me();
    expect(failure).toBeInstanceOf(ServiceUnreachableError);
    expect(failure).toMatchObject({ status: 502, retryAfter: 3 });
  });
});

test('an answer that is cut off is a failure of the connection', async () => {
  service.handle('GET /me', (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"user');
    setTimeout(() => response.socket?.destroy(), 20);
  });
  await expect(vc.client.request('getMe')).rejects.toThrow(ServiceUnreachableError);
});

test('timeoutMs limits the whole call, whatever arrives meanwhile', async () => {
  service.handle('GET /me', (_, response) => {
    const timer = setInterval(() => response.write(' '), 20);
    response.once('close', () => clearInterval(timer));
  });
  const late = vc.client.request('getMe', { timeoutMs: 200 });
  await expect(late).rejects.toThrow(ServiceTimeoutError);
  for (const timeoutMs of [0, -1, Number.NaN, '5' as unknown as number]) {
    await expect(vc.health({ timeoutMs })).rejects.toThrow(TypeError);
  }
});

it('takes no other server that speaks JSON for the service', async () => {
  for (const status of [200, 404]) {
    service.handle('GET /me', (_, response) => {
      response.removeHeader('x-api-version');
      response.writeHead(status).end('{"error":"Not found","id":"own_1"}');
    });
    await expect(vc.me()).rejects.toMatchObject({
      name: 'ServiceUnreachableError',
      remedy: expect.stringContaining('check the base URL'),
      status,
    });
  }
});

it('says how to start a service that does not run', async () => {
  const nowhere = new VirtualComputers({
    baseUrl: 'http://127.0.0.1:9/api',
    apiKey: 'vc_key',
    maxRetries: 0,
  });
  await expect(nowhere.me()).rejects.toMatchObject({
    message: 'cannot reach the service at http://127.0.0.1:9/api: nothing listens there',
    remedy: expect.stringContaining('vc serve --detach'),
  });
  await nowhere.close();
});
