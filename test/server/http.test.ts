import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApp } from '../../src/server/app.js';
import { FakeSnapshottingEngine } from '../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../support/fleet.js';

let test: TestFleet;
let app: FastifyInstance;
let base: string;
let port: number;

beforeAll(async () => {
  test = await openTestFleet();
  app = await buildApp({
    fleet: test.fleet,
    reachable: { hosts: [] },
    version: '0.0.0',
    log: pino({ level: 'silent' }),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  port = typeof address === 'object' && address ? address.port : 0;
  base = `http://127.0.0.1:${port}/api`;
});
afterAll(async () => {
  await app.close();
  await test.close();
});

interface Answered {
  status: number;
  json: Record<string, unknown>;
  headers: Headers;
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const response = await fetch(base + path, {
    method,
    headers: {
      authorization: `Bearer ${test.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    json: text.startsWith('{') ? JSON.parse(text) : {},
    headers: response.headers,
  };
}

/** Sends bytes unchanged; returns the first line of the answer and its body. */
function raw(request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\r\n\r\n')) socket.end();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

describe('keys', () => {
  it.each([
    ['GET', '/projects'],
    ['POST', '/projects'],
    ['GET', '/nothing/here'],
    ['DELETE', '/computers/cmp_x'],
    ['GET', '/computers/cmp_x/process'],
  ])('answers 401 to %s %s without a key', async (method, path) => {
    const answer = await call(method, path, undefined, { authorization: '' });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(Object.keys(answer.json)).toEqual(['error']);
  });

  it('answers 401 to invalid paths and to names that are too long', async () => {
    for (const path of ['/%zz', `/projects/${'x'.repeat(5000)}`]) {
      expect((await call('GET', path, undefined, { authorization: '' })).status).toBe(401);
    }
  });

  it('closes the connection of an upgrade that it refuses', async () => {
    const socket = connect(port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.resume();
    socket.write(
      'GET /api/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    await closed;
    await new Promise((resolve) => setTimeout(resolve, 50));
    const open = await new Promise<number>((resolve) =>
      app.server.getConnections((_, count) => resolve(count)),
    );
    expect(open).toBeLessThan(5);
  });

  it('answers 401 before reading the body', async () => {
    const head = `POST /api/projects HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n`;
    expect(await raw(head)).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('accepts the scheme in any case, and refuses a wrong key without repeating it', async () => {
    const good = await call('GET', '/projects', undefined, { authorization: `bEARER ${test.key}` });
    expect(good.status).toBe(200);
    const bad = await call('GET', '/projects', undefined, { authorization: 'Bearer vc_wrong' });
    expect(bad.status).toBe(401);
    expect(JSON.stringify(bad.json)).not.toContain('vc_wrong');
  });

  it('returns a key once, lists it without its text, and refuses it after its deletion', async () => {
    const { json: made } = await call('POST', '/keys', { name: 'ci' });
    expect(made.key).toMatch(/^vc_[0-9a-z]{32}$/);
    const { json: listed } = await call('GET', '/keys');
    expect(JSON.stringify(listed)).not.toContain(String(made.key));
    const authorization = `Bearer ${made.key}`;
    expect((await call('GET', '/projects', undefined, { authorization })).status).toBe(200);
    const removed = await call('DELETE', `/keys/${made.id}`);
    expect(removed.json).toEqual({ success: true, made: [] });
    expect((await call('GET', '/projects', undefined, { authorization })).status).toBe(401);
  });

  it('cannot delete the last key', async () => {
    const { json } = await call('GET', '/keys');
    const [key] = json.keys as { id: string }[];
    expect((await call('DELETE', `/keys/${key?.id}`)).status).toBe(400);
  });
});

describe('requests with a foreign Host or Origin', () => {
  it.each([
    ['a foreign Host', 'Host: evil.example.com\r\n'],
    ['no Host', ''],
    ['two Hosts', 'Host: 127.0.0.1\r\nHost: evil.example.com\r\n'],
    ['a foreign Origin', 'Host: 127.0.0.1\r\nOrigin: http://evil.example.com\r\n'],
  ])('refuses %s', async (_, headers) => {
    const answer = await raw(`GET /api/health HTTP/1.1\r\n${headers}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('{"error":');
  });

  it('never allows other origins', async () => {
    const answer = await call('GET', '/health');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});

it('answers invalid HTTP with its own error', async () => {
  const answer = await raw('NO HTTP AT ALL\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer.split('\r\n\r\n')[1]).toBe('{"error":"This is not valid HTTP."}');
});

describe('bodies', () => {
  it.each([
    ['malformed', '{"name": '],
    ['trailing', '{"name": "a"} x'],
    ['__proto__', '{"name": "a", "__proto__": {"x": 1}}'],
    ['a list', '[]'],
    ['a string', '"a"'],
    ['empty', ''],
    ['deeply nested', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('answers 400 to JSON that is %s', async (_, body) => {
    const answer = await call('POST', '/projects', body);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('x-error-code')).toBe('invalid_request');
    expect(Object.keys(answer.json)).toEqual(['error']);
  });

  it('answers 413 to a body that is too large, with a length or in chunks', async () => {
    const head = `POST /api/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${test.key}\r\nContent-Type: application/json\r\n`;
    expect(await raw(`${head}Content-Length: 9000000\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /);
    const chunk = `${(5_000_000).toString(16)}\r\n${'x'.repeat(5_000_000)}\r\n`;
    expect(await raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 413 /,
    );
  });

  it('answers 415 to other types, and accepts a JSON type without a body', async () => {
    const wrong = await call('POST', '/projects', 'name=a', { 'content-type': 'text/plain' });
    expect(wrong.status).toBe(415);
    const none = await call('GET', '/projects', undefined, { 'content-type': 'application/json' });
    expect(none.status).toBe(200);
  });

  it('answers 400 to JSON of more values or fields than anything takes', async () => {
    const values = await call('POST', '/projects', { name: 'many', more: Array(400_001).fill(1) });
    expect(values.json).toEqual({ error: 'The body has more than 400000 values.' });
    const more = Object.fromEntries(Array.from({ length: 4001 }, (_, at) => [`field${at}`, 1]));
    const fields = await call('POST', '/projects', { name: 'wide', more });
    expect(fields.json).toEqual({ error: 'An object in the body has more than 4000 fields.' });
    expect([values.status, fields.status]).toEqual([400, 400]);
  });

  it('ignores unknown fields', async () => {
    const answer = await call('POST', '/projects', { name: 'extra', colour: 'blue' });
    expect(answer.status).toBe(200);
  });

  it.each([
    [{}, 'name is missing'],
    [{ name: 5 }, 'name must be a string'],
    [{ name: 'a b' }, 'letters, digits'],
    [{ name: 'by-name' }, 'reserved'],
    [{ name: 'x'.repeat(65) }, '1 to 64'],
    [{ name: '../etc' }, 'letters, digits'],
  ])('names the field that is wrong in %j', async (body, message) => {
    const answer = await call('POST', '/projects', body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toContain(message);
  });
});

describe('paths', () => {
  it('answers 404 to missing resources, 405 to other methods', async () => {
    expect((await call('GET', '/nothing')).status).toBe(404);
    expect((await call('GET', '/projects/none')).status).toBe(404);
    expect((await call('DELETE', '/computers/cmp_none')).status).toBe(404);
    const wrong = await call('PUT', '/projects');
    expect(wrong.status).toBe(405);
    expect(wrong.json.error).toContain('GET');
  });

  it.each(['%00', '%2e%2e%2f', '%0d%0a', 'x'.repeat(3000), '%zz', '-rf'])(
    'treats %s as a name only',
    async (name) => {
      const answer = await call('GET', `/projects/${name}`);
      expect([400, 404]).toContain(answer.status);
      expect(Object.keys(answer.json)).toEqual(['error']);
    },
  );
});

describe('computers', () => {
  it('answers the published operations with 200 and the resource', async () => {
    await call('POST', '/projects', { name: 'rows' });
    const made = await call('POST', '/projects/rows/computers', {
      name: 'my computer/1 %2f',
      os: 'linux',
      ram: 4,
      cpu: 2,
    });
    expect(made.status).toBe(200);
    expect(made.json).toMatchObject({ status: 'running', ram: 4, cpu: 2, project_name: 'rows' });
    const byId = `/computers/${made.json.id}`;
    const byName = `/projects/rows/computers/${encodeURIComponent('my computer/1 %2f')}`;
    for (const path of [byId, byName]) {
      expect((await call('GET', path)).json.id).toBe(made.json.id);
      const clicked = await call('POST', `${path}/click`, { x: 0, y: 0.4 });
      expect(clicked.json).toEqual({ success: true });
      const typed = await call('POST', `${path}/type`, { text: 'é\n' });
      expect(typed.json).toEqual({ success: true });
      const shot = await call('GET', `${path}/screenshot`);
      expect(shot.json).toMatchObject({ success: true, encoding: 'base64', format: 'png' });
      const fields = ['encoding', 'format', 'height', 'image', 'success', 'width'];
      expect(Object.keys(shot.json).sort()).toEqual(fields);
      const bytes = await call('GET', `${path}/screenshot`, undefined, { accept: 'image/webp' });
      expect(bytes.headers.get('content-type')).toBe('image/webp');
    }
    expect((await call('POST', `${byId}/stop`)).json.status).toBe('stopped');
    const refused = await call('POST', `${byId}/click`, { x: 1, y: 1 });
    expect(refused.status).toBe(400);
    expect(refused.json.error).toContain('is stopped.');
    expect(decodeURIComponent(refused.headers.get('x-error-remedy') ?? '')).toContain('vc start');
    expect((await call('POST', `${byId}/start`)).json.status).toBe('running');
    expect((await call('DELETE', byId)).json).toEqual({ success: true });
    expect((await call('GET', byId)).status).toBe(404);
  });

  it.each([
    [{ name: 'x', ram: 3 }, 'ram must be 2, 4 or 8'],
    [{ name: 'x', ram: '4' }, 'ram must be'],
    [{ name: 'x', cpu: 1 }, 'cpu must be'],
    [{ name: 'x', os: 'beos' }, 'os must be'],
    [{ name: 'x', gpu: 'T4' }, 'coming soon'],
    [{ name: 'x', resolution: '10x10' }, 'resolution'],
    [{ name: 'x', resolution: 'big' }, 'resolution'],
    [{ name: '' }, 'name must be 1 to 128'],
    [{ name: 'a\u0000b' }, 'control characters'],
    [{ name: 'a\r\nb' }, 'control characters'],
    [{ name: 'x'.repeat(10_000) }, '1 to 128'],
    [{ name: 'x', os: 'windows' }, 'windows'],
    [{ name: 'x', auto_stop_minutes: 0 }, 'auto_stop_minutes'],
  ])('refuses %j', async (body, message) => {
    await call('POST', '/projects', { name: 'refusals' });
    const answer = await call('POST', '/projects/refusals/computers', body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toContain(message);
    const { json } = await call('GET', '/projects/refusals');
    expect(json.computer_count).toBe(0);
  });

  it.each([
    ['click', {}, 'x is missing'],
    ['click', { x: '1', y: 1 }, 'x must be a number'],
    ['click', { x: 1, y: 1, button: 'side' }, 'button must be'],
    ['click', { x: 1, y: 1, clicks: 4 }, 'clicks must be'],
    ['click', { mark: 1, x: 1, y: 1 }, 'Only one of'],
    ['click', { mark: 1, element: '2c6e3adb-1.8-72' }, 'Only one of'],
    ['click', { mark: 201 }, 'mark must be an integer from 1 to 200'],
    ['click', { mark: 1, frame: 'last' }, 'frame must be a frame'],
    ['click', { x: 1, y: 1, frame: 'frm_0123456789ab' }, 'frame needs a mark'],
    ['click', { mark: 1 }, 'No picture with marks'],
    ['scroll', { direction: 'in' }, 'direction must be'],
    ['type', {}, 'text is missing'],
    ['type', { text: '\ud800' }, 'well-formed'],
    ['key', { key: '' }, 'key must be'],
    ['bash', { command: '' }, 'command must'],
    ['bash', { command: 'x', timeout: 'soon' }, 'timeout must be'],
    ['exec', { code: 'x', timeout: 301 }, 'timeout must be'],
    ['wait', {}, 'seconds must be given'],
    ['wait', { seconds: 61 }, 'seconds must be'],
  ])('refuses %s %j', async (action, body, message) => {
    await call('POST', '/projects', { name: 'actions' });
    await call('POST', '/projects/actions/computers', { name: 'c' });
    const answer = await call('POST', `/projects/actions/computers/c/${action}`, body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toContain(message);
  });
});

describe('a copy', () => {
  it('is created under both forms of the path, and answered like a creation', async () => {
    const engine = new FakeSnapshottingEngine();
    const other = await openTestFleet({ engine, maxRunning: 9 });
    const parts = { reachable: { hosts: [] }, version: '0.0.0', log: pino({ level: 'silent' }) };
    const copying = await buildApp({ fleet: other.fleet, ...parts });
    const headers = { authorization: `Bearer ${other.key}`, host: 'localhost' };
    const post = async (path: string, payload: object) => {
      const answer = await copying.inject({ method: 'POST', url: `/api${path}`, headers, payload });
      return { status: answer.statusCode, json: answer.json() };
    };
    await post('/projects', { name: 'p' });
    const { json: one } = await post('/projects/p/computers', { name: 'one' });
    expect(await post(`/computers/${one.id}/fork`, { name: 'two' })).toMatchObject({
      status: 200,
      json: { name: 'two', status: 'running', engine: 'docker', isolation: 'container' },
    });
    const atOnce = await post('/projects/p/computers/one/fork?wait=0', { name: 'three' });
    expect(atOnce).toMatchObject({ status: 200, json: { status: 'starting' } });
    for (const [body, message] of [
      [{}, 'name is missing'],
      [{ name: ' ' }, 'must not be blank'],
      [{ name: 'two' }, 'named "two" already'],
    ] as const) {
      const refused = await post(`/computers/${one.id}/fork`, body);
      expect(refused.status).toBe(400);
      expect(refused.json.error).toContain(message);
    }
    expect((await post('/computers/cmp_none/fork', { name: 'x' })).status).toBe(404);
    await copying.close();
    await other.close();
  });

  it('is refused by an engine that saves no disks', async () => {
    await call('POST', '/projects', { name: 'copies' });
    await call('POST', '/projects/copies/computers', { name: 'c' });
    const answer = await call('POST', '/projects/copies/computers/c/fork', { name: 'd' });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('x-error-code')).toBe('unsupported');
    expect(answer.json.error).toBe('The engine "docker" does not save disks of computers.');
    await call('DELETE', '/projects/copies');
  });
});

describe('descriptions', () => {
  it('answers health and the OpenAPI document without a key', async () => {
    const health = await call('GET', '/health', undefined, { authorization: '' });
    expect(health.json).toEqual({
      ...{ status: 'ok', version: '' },
      engines: [{ name: 'docker', usable: true, detail: '' }],
      store: { usable: true, detail: '' },
    });
    const withKey = await call('GET', '/health');
    expect(withKey.json).toMatchObject({ engines: [{ detail: 'in memory' }] });
    expect(withKey.json.version).not.toBe('');
    const api = await call('GET', '/openapi.json', undefined, { authorization: '' });
    expect(api.status).toBe(200);
    const paths = Object.keys(api.json.paths as object);
    expect(paths).toContain('/computers/{id}/click');
    expect(paths).toContain('/projects/{project}/computers/{computer}/screenshot');
    expect(api.json.servers).toEqual([
      { url: expect.stringMatching(/^http:\/\/[^/]+\/api$/), description: 'This service.' },
    ]);
  });

  it('compresses the OpenAPI document, with the address of each request', async () => {
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      const answered = (encoding: string) =>
        app.inject({
          url: '/api/openapi.json',
          headers: { host, 'accept-encoding': encoding },
        });
      const [plain, small] = [await answered('gzip;q=0'), await answered('br, gzip')];
      expect(small.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
      expect(small.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5);
      expect(gunzipSync(small.rawPayload).equals(plain.rawPayload)).toBe(true);
      expect(plain.json()).toMatchObject({ servers: [{ url: `http://${host}/api` }] });
    }
  });
});
