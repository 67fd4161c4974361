// @module-tag slow
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openTestApp, type TestApp } from '../../support/app.js';

const origin = 'https://app.example.com';
let app: TestApp;
beforeEach(async () => {
  app = await openTestApp({ origins: [origin, 'http://localhost:3000'] });
});
afterEach(() => app.close());

const cors = (headers: NodeJS.Dict<string | string[]>) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));
const preflight = (from: string, more: Record<string, string> = {}) =>
  app.send('OPTIONS', '/api/projects', {
    authorization: null,
    headers: { origin: from, 'access-control-request-method': 'POST', ...more },
  });

it('answers a page of an allowed origin, and never with credentials', async () => {
  const { status, headers } = await app.send('GET', '/api/projects', { headers: { origin } });
  expect([status, headers['access-control-allow-origin'], headers.vary]).toEqual([
    ...[200, origin, 'origin'],
  ]);
  expect(headers['access-control-expose-headers']).toContain('x-error-code');
  const refused = await app.send('GET', '/api/projects', {
    authorization: null,
    headers: { origin },
  });
  expect(refused).toMatchObject({
    status: 401,
    headers: { 'access-control-allow-origin': origin },
  });
  for (const answer of [headers, refused.headers, (await preflight(origin)).headers]) {
    expect(answer['access-control-allow-credentials']).toBeUndefined();
    expect(answer['set-cookie']).toBeUndefined();
  }
});

it('answers a preflight request without a key', async () => {
  const asked = { 'access-control-request-private-network': 'true' };
  const { status, headers, text } = await preflight(origin, asked);
  expect([status, text]).toEqual([204, '']);
  expect(headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': expect.stringContaining('authorization, content-type'),
    'access-control-allow-private-network': 'true',
    'x-api-version': '1',
  });
  // Without asking for a method it is no preflight request.
  expect(
    (await app.send('OPTIONS', '/api/projects', { authorization: null, headers: { origin } }))
      .status,
  ).toBe(401);
});

it.each([
  'https://app.example.com.evil.example',
  'https://evil.example',
  'http://app.example.com',
  'https://app.example.com:8443',
  'HTTPS://APP.EXAMPLE.COM',
  'null',
  '*',
  `${origin}, https://evil.example`,
])('refuses the origin %s', async (from) => {
  for (const answer of [
    await app.send('GET', '/api/projects', { headers: { origin: from } }),
    await preflight(from),
  ]) {
    expect([answer.status, cors(answer.headers)]).toEqual([400, []]);
    expect(answer.headers['x-error-remedy']).toContain('--allow-origin');
  }
});

it('refuses two origins, even if one is allowed', async () => {
  const head = `GET /api/projects HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\nAuthorization: Bearer ${app.world.key}`;
  const both = await app.raw(
    `${head}\r\nOrigin: ${origin}\r\nOrigin: https://evil.example\r\n\r\n`,
  );
  expect(both).toMatch(/^HTTP\/1\.1 400 /);
});

it('opens the WebSockets of a page of an allowed origin only', async () => {
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name: 'desk' } });
  const url = `ws://127.0.0.1:${app.port}/api/computers/${json.id}/process`;
  const headers = { authorization: `Bearer ${app.world.key}` };
  const outcome = (from: string) =>
    new Promise((resolve) => {
      const socket = new WebSocket(url, { headers, origin: from });
      socket.once('open', () => resolve('open'));
      socket.once('error', () => resolve('refused'));
      socket.once('open', () => socket.terminate());
    });
  expect([await outcome(origin), await outcome('https://evil.example')]).toEqual([
    'open',
    'refused',
  ]);
});

it('has its version in every answer', async () => {
  for (const path of ['/api/health', '/api/projects', '/api/nothing', '/api/openapi.json']) {
    expect((await app.send('GET', path)).headers['x-api-version']).toBe('1');
  }
  expect(await app.raw('garbage\r\n\r\n')).toMatch(/\r\nx-api-version: 1\r\n/);
});
