// @module-tag slow
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildPath } from '../../src/client/http/address.js';
import { answerDeadline } from '../../src/client/http/deadline.js';
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
  vc = new VirtualComputers({ baseUrl: service.baseUrl, apiKey: 'vc_key' });
});
afterEach(async () => {
  await vc.close();
  await service.close();
});

test('the parameters select the path and are percent-encoded', () => {
  const paths = ['/computers/:id/start', '/projects/:project/computers/:computer/start'];
  expect(buildPath(paths, { id: 'cmp_1' })).toBe('/computers/cmp_1/start');
  const named = buildPath(paths, { project: 'p', computer: '../ü ?#%:' });
  expect(named).toBe('/projects/p/computers/..%2F%C3%BC%20%3F%23%25%3A/start');
  expect(() => buildPath(paths, { project: 'p' })).toThrow(TypeError);
  expect(() => buildPath(paths, { id: '' })).toThrow(TypeError);
});

test('a computer that is not named by an object is refused with what names it', async () => {
  const wrong = 'a computer is named by { project, name } or { id }';
  const get = vc.computers.get.bind(vc.computers) as (...address: unknown[]) => Promise<unknown>;
  await expect(get('lab', 'desk')).rejects.toThrow(new TypeError(wrong));
  await expect(get(null)).rejects.toThrow(new TypeError(wrong));
  await expect(get()).rejects.toThrow(new TypeError(wrong));
});

test("the deadline is the request's own duration plus a margin", () => {
  expect(answerDeadline('getComputer', undefined)).toBe(180_000);
  expect(answerDeadline('bash', { timeout: 3600 })).toBe(3_780_000);
  expect(answerDeadline('bash', {})).toBe(380_000);
  expect(answerDeadline('type', { text: 'x'.repeat(1000), delay_ms: 100 })).toBe(280_000);
});

describe('requests', () => {
  test('each method sends its request', async () => {
    service.on('POST /projects', { name: 'demo' });
    service.on('POST /projects/demo/computers', { id: 'cmp_1', status: 'running' });
    service.on('POST /computers/cmp_1/click', { success: true });
    service.on('POST /computers/cmp_1/wait', { success: true, waited: 0.2 });
    service.on('PATCH /projects/demo', { name: 'shop' });
    await vc.projects.create('demo');
    const desktop = await vc.computers.create('demo', { name: 'desktop' });
    await desktop.click(0, 5, { button: 'right' });
    expect(await desktop.wait({ until: 'stable' })).toMatchObject({ waited: 0.2 });
    expect(await vc.projects.rename('demo', 'shop')).toMatchObject({ name: 'shop' });
    service.on('GET /computers/cmp_1/control', { control: null, is_mine: false });
    service.on('POST /computers/cmp_1/control', { control: null, is_mine: true });
    service.on('DELETE /computers/cmp_1/control', { success: true });
    service.on('GET /usage', { days: [] });
    expect(await desktop.control()).toMatchObject({ is_mine: false });
    expect(await desktop.takeControl({ force: true, timeoutMs: 9_000 })).toMatchObject({
      is_mine: true,
    });
    await desktop.releaseControl();
    expect(await vc.usage({ days: 7 })).toMatchObject({ days: [] });
    expect(service.received.map(({ url, body }) => [url, body])).toEqual([
      ['/api/projects', { name: 'demo' }],
      ['/api/projects/demo/computers?wait=1', { name: 'desktop' }],
      ['/api/computers/cmp_1/click', { x: 0, y: 5, button: 'right' }],
      ['/api/computers/cmp_1/wait', { until: 'stable' }],
      ['/api/projects/demo', { name: 'shop' }],
      ['/api/computers/cmp_1/control', undefined],
      ['/api/computers/cmp_1/control', { force: true }],
      ['/api/computers/cmp_1/control', undefined],
      ['/api/usage?days=7', undefined],
    ]);
    expect(service.received[0]?.headers).toMatchObject({
      authorization: 'Bearer vc_key',
      'user-agent': 'virtual-computers',
    });
  });

  test('a screenshot is bytes in the requested format', async () => {
    service.handle('GET /projects/demo/computers/a/screenshot', ({ headers }, response) => {
      response.writeHead(200, { 'content-type': headers.accept }).end(Buffer.of(1, 0, 255));
    });
    const computer = vc.computer({ project: 'demo', name: 'a' });
    const region = { x: 0, y: 0, width: 10, height: 10 };
    expect(await computer.screenshot({ format: 'webp', region })).toEqual(Buffer.of(1, 0, 255));
    expect(service.received[0]?.headers.accept).toBe('image/webp');
  });

  test('both spellings of settle and of a region are understood', async () => {
    service.handle('GET /computers/cmp_1/screenshot', (_, response) => void response.end('x'));
    service.on('POST /computers/cmp_1/wait', { success: true, waited: 0.2 });
    const computer = vc.computer({ id: 'cmp_1' });
    await computer.screenshot({ settle: { quiet_ms: 200, max_ms: 5000 } });
    await computer.screenshot({ settle: { quietMs: 200, maxMs: 5000 } });
    await computer.screenshot({ settle: { max_ms: 300 } });
    await computer.screenshot({ settle: { quiet_ms: 300 } });
    const settles = service.received.map(({ url }) =>
      new URL(url, vc.client.baseUrl).searchParams.get('settle'),
    );
    expect(settles).toEqual(['200,5000', '200,5000', '100,300', '300,2000']);
    const region = { x: 1, y: 2, width: 3, height: 4 };
    await computer.wait({ until: 'change', region });
    await computer.wait({ until: 'change', region: [1, 2, 3, 4] });
    await computer.wait({ until: 'stable' });
    expect(service.received.slice(4).map(({ body }) => body)).toEqual([
      { until: 'change', region: [1, 2, 3, 4] },
      { until: 'change', region: [1, 2, 3, 4] },
      { until: 'stable' },
    ]);
  });

  test('me describes the key', async () => {
    service.on('GET /me', { name: 'default', max_running: 2 });
    expect(await vc.me()).toMatchObject({ name: 'default', max_running: 2 });
  });

  test('an error answer becomes an error with code, status and request id', async () => {
    service.fail('GET /computers/cmp_1', 400, 'limit_reached', 'Two run already.');
    const failure = await vc.computers.get({ id: 'cmp_1' }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceError);
    expect(failure).toMatchObject({
      code: 'limit_reached',
      status: 400,
      message: 'Two run already.',
      requestId: 'req-1',
    });
  });

  test('a failed connection and a late answer are different errors', async () => {
    const nobody = new VirtualComputers({
      ...{ baseUrl: 'http://127.0.0.1:1/api', apiKey: 'k' },
    });
    await expect(nobody.health()).rejects.toThrow(ServiceUnreachableError);
    service.handle('GET /health', () => {});
    const request = vc.client.request('health', { timeoutMs: 100 });
    await expect(request).rejects.toThrow(ServiceTimeoutError);
  });

  test('an abort ends the request', async () => {
    service.handle('GET /health', () => {});
    const controller = new AbortController();
    const request = vc.client.request('health', { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expect(request).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('a GET on a stale connection is retried, a POST is not', async () => {
    let dropped = 0;
    const drop = (_: unknown, response: import('node:http').ServerResponse) => {
      dropped += 1;
      response.socket?.destroy();
    };
    service.handle('GET /projects', drop);
    service.handle('POST /projects', drop);
    const once = new VirtualComputers({ baseUrl: service.baseUrl, apiKey: 'k', maxRetries: 0 });
    await expect(once.projects.list()).rejects.toThrow(ServiceUnreachableError);
    expect(dropped).toBe(2);
    await expect(once.projects.create('x')).rejects.toThrow(ServiceUnreachableError);
    expect(dropped).toBe(3);
  });

  test('a reader may pause for longer than the service', async () => {
    service.handle('GET /projects', (_, response) => void response.end(Buffer.alloc(8 << 20, 32)));
    // The first request loads the transport, which takes long on a busy host.
    await vc.client.request('health').catch(() => {});
    const options = { timeoutMs: 500 };
    const body = await vc.client.requestStream('listProjects', 'application/json', options);
    const chunks = body[Symbol.asyncIterator]();
    let bytes = (await chunks.next()).value?.length ?? 0;
    await sleep(1_000);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      bytes += next.value.length;
    }
    expect(bytes).toBe(8 << 20);
  });

  test('files of any size arrive', async () => {
    const received: number[] = [];
    service.handle('PUT /computers/cmp_1/files', ({ headers }, response) => {
      received.push(Number(headers['content-length']));
      response.end('{"success":true,"path":"/x","size":1}');
    });
    service.handle('GET /computers/cmp_1/files', (_, response) => void response.end('content'));
    const { files } = vc.computer({ id: 'cmp_1' });
    for (const size of [0, 10, 1 << 20]) await files.write('x', Buffer.alloc(size));
    expect(received).toEqual([0, 10, 1 << 20]);
    expect((await files.read('x')).toString()).toBe('content');
  });

  test('an answer that stalls halfway times out', async () => {
    service.handle('GET /health', (_, response) => void response.write('{"stat'));
    const request = vc.client.request('health', { timeoutMs: 200 });
    await expect(request).rejects.toThrow(ServiceTimeoutError);
  });
});

test('with ifNoneMatch, screenshots and files say whether they have changed', async () => {
  const seen: unknown[] = [];
  for (const path of ['screenshot', 'files']) {
    service.handle(`GET /computers/cmp_1/${path}`, ({ headers }, response) => {
      seen.push(headers['if-none-match']);
      response.setHeader('etag', '"a"');
      response.statusCode = headers['if-none-match'] === '"a"' ? 304 : 200;
      response.end(response.statusCode === 200 ? 'bytes' : undefined);
    });
  }
  const desk = vc.computer({ id: 'cmp_1' });
  const reads = [
    (ifNoneMatch: string | null) => desk.screenshot({ ifNoneMatch }),
    (ifNoneMatch: string | null) => desk.files.read('x', { ifNoneMatch }),
  ];
  for (const read of reads) {
    const first = await read(null);
    expect(first).toMatchObject({ changed: true, etag: '"a"' });
    expect(first.changed && new TextDecoder().decode(first.data)).toBe('bytes');
    expect(await read(first.etag)).toEqual({ changed: false, etag: '"a"' });
    expect(await read('"old"')).toMatchObject({ changed: true });
  }
  expect(seen).toEqual([undefined, '"a"', '"old"', undefined, '"a"', '"old"']);
});

test('consecutive requests share a connection', async () => {
  const ports = new Set<number | undefined>();
  service.handle('GET /health', (_, response) => {
    ports.add(response.socket?.remotePort);
    response.end('{}');
  });
  const { baseUrl } = service;
  const own = new VirtualComputers({ baseUrl, apiKey: 'vc_key' });
  for (let i = 0; i < 3; i++) await own.health();
  await own.close();
  expect(ports.size).toBe(1);
});

test('base URLs and keys that cannot be sent are refused without showing the key', () => {
  const options = { baseUrl: 'http://127.0.0.1:1/api', apiKey: 'vc_secret\n' };
  expect(() => new VirtualComputers(options)).toThrow(/^(?!.*vc_secret)/);
  for (const baseUrl of ['', 'ftp://x', 'http://u:p@x/api', 'http://x/api?key=1']) {
    expect(() => new VirtualComputers({ baseUrl })).toThrow(TypeError);
  }
});

test('a paused reader pauses the process, and no output is lost', async () => {
  const total = 64;
  const chunk = Buffer.concat([Buffer.of(1), Buffer.alloc(1024 * 1024, 'x')]);
  let sent = 0;
  service.onProcess(async (_, socket) => {
    for (; sent < total; sent += 1) {
      await new Promise((resolve) => socket.send(chunk, resolve));
    }
    socket.send(JSON.stringify({ type: 'exit', code: 0, signal: null }));
    socket.close();
  });
  const remote = await vc.computer({ id: 'cmp_1' }).process({ argv: ['yes'] });
  await sleep(500);
  expect(sent).toBeLessThan(total);
  let bytes = 0;
  for await (const part of remote.stdout) bytes += part.length;
  expect(bytes).toBe(total * 1024 * 1024);
  expect(await remote.exited).toEqual({ code: 0, signal: null, timedOut: false });
});

test("leaving a process closes its socket; a refused upgrade rejects with the answer's error", async () => {
  const closed = new Promise((resolve) => {
    service.onProcess((_, socket) => socket.once('close', resolve));
  });
  const remote = await vc.computer({ id: 'cmp_1' }).process({ argv: ['sleep', '100'] });
  remote.close();
  await closed;
  await expect(remote.exited).rejects.toMatchObject({ name: 'AbortError' });
  // Not the profile of the user who runs the tests.
  vi.stubEnv('VC_CONFIG_DIR', '/nonexistent');
  const withoutKey = new VirtualComputers({ baseUrl: service.baseUrl });
  vi.unstubAllEnvs();
  const refused = withoutKey.computer({ id: 'cmp_1' }).process({ argv: ['x'] });
  await expect(refused).rejects.toMatchObject({ code: 'unauthorized' });
});

test('timeoutMs limits the connecting of a process, not the process', async () => {
  const deaf = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(deaf, 'listening');
  const { port } = deaf.address() as AddressInfo;
  const silent = new VirtualComputers({ baseUrl: `http://127.0.0.1:${port}/api`, apiKey: 'k' });
  const start = { argv: ['x'], timeoutMs: 1_000 };
  const failed = silent.computer({ id: 'cmp_1' }).process(start);
  await expect(failed).rejects.toThrow(ServiceTimeoutError);
  deaf.close();
  let sent: unknown;
  service.onProcess((first, socket) => {
    sent = first;
    setTimeout(() => socket.send('{"type":"exit","code":0,"signal":null}'), 200);
  });
  const remote = await vc.computer({ id: 'cmp_1' }).process(start);
  expect(await remote.exited).toMatchObject({ code: 0 });
  expect(sent).toEqual({ argv: ['x'] });
});

test('an abort ends a process', async () => {
  const controller = new AbortController();
  service.onProcess(() => controller.abort());
  const { signal } = controller;
  const remote = await vc.computer({ id: 'cmp_1' }).process({ argv: ['x'], signal });
  await expect(remote.exited).rejects.toMatchObject({ name: 'AbortError' });
});

test('options of a call may stand among its fields', async () => {
  const sent = async (work: () => Promise<unknown>) => {
    service.received.length = 0;
    await work().catch(() => undefined);
    return service.received[0]?.body;
  };
  const { signal } = new AbortController();
  const desk = vc.computer({ id: 'cmp_1' });
  const call = { signal, timeoutMs: 5_000 };
  expect(await sent(() => desk.wait({ until: 'stable', ...call }))).toEqual({ until: 'stable' });
  expect(await sent(() => desk.find({ text: 'a', ...call }))).toEqual({ text: 'a' });
  expect(await sent(() => desk.update({ name: 'b', ...call }))).toEqual({ name: 'b' });
  expect(await sent(() => desk.browser({ ...call }))).toEqual({});
  expect(await sent(() => desk.startStream({ url: 'u', ...call }))).toEqual({ url: 'u' });
  expect(await sent(() => desk.snapshots.create({ name: 's', ...call }))).toEqual({ name: 's' });
  const made = { name: 'c', wait: false, ...call };
  expect(await sent(() => vc.computers.create('p', made))).toEqual({ name: 'c' });
  expect(await sent(() => vc.keys.create({ name: 'k', ...call }))).toEqual({ name: 'k' });
  expect(await sent(() => vc.keys.update('k', { name: 'l', ...call }))).toEqual({ name: 'l' });
  const reason = new Error('no longer');
  const aborted = desk.wait({ seconds: 1, signal: AbortSignal.abort(reason) });
  await expect(aborted).rejects.toBe(reason);
});
