import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildDashboard } from '../../../scripts/dashboard.js';
import { addDashboard, PAGE_PATHS } from '../../../src/server/dashboard/pages.js';
import { sendError } from '../../../src/server/http/errors.js';
import { openTestApp, type TestApp } from '../../support/app.js';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/** The policy of a document, which allows its one inline script. */
function policyOf(html: string): string {
  const [, script = ''] = /<script>(.*?)<\/script>/s.exec(html) ?? [];
  const hash = createHash('sha256').update(script).digest('base64');
  return POLICY.replace("script-src 'self'", `script-src 'self' 'sha256-${hash}'`);
}

let directory: string;
let app: FastifyInstance;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'vc-dashboard-'));
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'index.html'), '<script>first()</script><title>page</title>');
  writeFileSync(join(directory, 'terminal.html'), '<title>terminal</title>');
  writeFileSync(join(directory, 'secret.txt'), 'not a file of the page');
  writeFileSync(join(directory, 'assets/main-0a1b2c3d.js'), 'main()');
  writeFileSync(join(directory, 'assets/main-0a1b2c3d.js.gz'), gzipSync('main()'));
  writeFileSync(join(directory, 'assets/icon.svg'), '<svg/>');
  app = Fastify();
  app.setErrorHandler((error: Error, request, reply) => sendError(error, request, reply));
  addDashboard(app, directory);
});
afterAll(async () => {
  await app.close();
  rmSync(directory, { recursive: true });
});

test('every page answers the document with a strict policy, and is asked for again each time', async () => {
  for (const path of PAGE_PATHS) {
    const answer = await app.inject(path.replaceAll(/:\w+/g, 'x'));
    expect(answer.statusCode, path).toBe(200);
    expect(answer.body).toBe('<script>first()</script><title>page</title>');
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policyOf('<script>first()</script>'),
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cache-control': 'no-cache',
    });
  }
});

test('every page that the document has can be reloaded', () => {
  const named = (path: string) => path.replaceAll(/:\w+/g, ':x');
  const source = readFileSync('src/dashboard/app/parts.ts', 'utf8');
  const pages = [...source.matchAll(/^ {2}'(\/[^'?]+)(?:\?)?': async/gm)].map(([, path = '']) =>
    named(path),
  );
  expect(PAGE_PATHS.map(named)).toEqual(expect.arrayContaining(pages));
  expect(pages.length).toBeGreaterThan(10);
});

test('only the document of the terminal may add styles', async () => {
  const answer = await app.inject('/terminal/cmp_1');
  expect(answer.body).toBe('<title>terminal</title>');
  expect(answer.headers['content-security-policy']).toBe(
    POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'").replace(
      "frame-ancestors 'none'",
      "frame-ancestors 'self'",
    ),
  );
});

test('a file whose name has a hash is kept for good, others are asked for again', async () => {
  const hashed = await app.inject('/assets/main-0a1b2c3d.js');
  expect(hashed.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(hashed.headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(hashed.headers).toMatchObject({
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
  });
  const icon = await app.inject('/assets/icon.svg');
  expect(icon.headers['cache-control']).toBe('no-cache');
  const known = { 'if-none-match': String(icon.headers.etag) };
  expect((await app.inject({ url: '/assets/icon.svg', headers: known })).statusCode).toBe(304);
});

test('a compressed form is sent only to a client that accepts it', async () => {
  const ask = (accept: string) =>
    app.inject({ url: '/assets/main-0a1b2c3d.js', headers: { 'accept-encoding': accept } });
  const packed = await ask('br, gzip');
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(packed.rawPayload).toEqual(gzipSync('main()'));
  expect(packed.headers.vary).toBe('accept-encoding');
  for (const accept of ['', 'br', 'gzip;q=0', 'identity']) {
    const plain = await ask(accept);
    expect(plain.headers['content-encoding'], accept).toBeUndefined();
    expect(plain.body, accept).toBe('main()');
  }
});

test.each([
  '/assets/../secret.txt',
  '/assets/%2e%2e/secret.txt',
  '/assets/..%2fsecret.txt',
  '/assets/../../../etc/passwd',
  '/assets/main-0a1b2c3d.js.gz',
  '/assets/',
  '/assets/none.js',
  '/secret.txt',
  '/index.html',
])('no other file is served: %s', async (path) => {
  expect((await app.inject(path)).statusCode).toBe(404);
});

test('without a build the page says how to make one', async () => {
  const bare = Fastify();
  bare.setErrorHandler((error: Error, request, reply) => sendError(error, request, reply));
  addDashboard(bare, join(directory, 'none'));
  const answer = await bare.inject('/');
  expect(answer.statusCode).toBe(404);
  expect(answer.headers['x-error-remedy']).toBe('npm run build');
});

test('a browser is shown the page for an unknown path, and programs an error', async () => {
  if (!existsSync(new URL('../../../dist/dashboard/', import.meta.url))) await buildDashboard();
  const service: TestApp = await openTestApp();
  const ask = (path: string, accept: string, method = 'GET') =>
    service.send(method, path, { authorization: null, headers: { accept } });
  const html = 'text/html,application/xhtml+xml,*/*;q=0.8';
  for (const path of ['/nothing', '/apis', '/computers/x/y/z']) {
    const answer = await ask(path, html);
    expect(answer.status, path).toBe(404);
    expect(answer.headers['content-type'], path).toMatch(/^text\/html/);
    expect(answer.headers['content-security-policy'], path).toBe(policyOf(answer.text));
    expect(await ask(path, '*/*'), path).toMatchObject({
      status: 401,
      json: { error: expect.stringContaining('key') },
    });
    expect((await ask(path, html, 'DELETE')).status).toBe(401);
  }
  expect(await ask('/dashboard', html)).toMatchObject({ status: 302, headers: { location: '/' } });
  for (const path of ['/api', '/api/']) {
    const { status, headers } = await ask(path, html);
    expect([status, headers.location], path).toEqual([302, '/api/docs']);
  }
  await service.close();
});

test('without a key nobody learns which paths of the API exist', async () => {
  const service: TestApp = await openTestApp();
  const ask = async (path: string, key?: string) => {
    const authorization = key === undefined ? null : `Bearer ${key}`;
    const headers = { accept: 'text/html' };
    const { status, text } = await service.send('GET', path, { authorization, headers });
    return { status, text };
  };
  const known = await ask('/api/keys');
  expect(known.status).toBe(401);
  for (const path of ['owners', 'nothing', 'computers/x/start']) {
    for (const prefix of ['/api/', '/%61pi/', `http://127.0.0.1:${service.port}/api/`]) {
      expect(await ask(`${prefix}${path}`), `${prefix}${path}`).toEqual(known);
    }
  }
  expect((await ask('/api/nothing', service.world.key)).status).toBe(404);
  await service.close();
});

test('the page needs no key, and another name of the host does not answer it', async () => {
  const service: TestApp = await openTestApp();
  const answer = await service.send('GET', '/', { authorization: null });
  expect([200, 404]).toContain(answer.status);
  if (answer.status === 200) {
    expect(answer.headers['content-security-policy']).toBe(policyOf(answer.text));
  }
  const headers = { host: 'evil.example.com' };
  expect((await service.send('GET', '/', { authorization: null, headers })).status).toBe(400);
  await service.close();
});
