// @module-tag slow
import { afterAll, beforeAll, expect } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { fill, routes, UPGRADE } from '../../support/routes.js';
import { promise } from '../../support/run/promise.js';

/** Hundreds of connections, on a machine that may be busy. */
const LONG_MS = 120_000;

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app.close());

const UPGRADE_LINES = Object.entries(UPGRADE).map(([name, value]) => `${name}: ${value}\r\n`);

/** Header lines of requests from other pages, under other names, or malformed. */
const refused = [
  ...[
    '',
    'Host:\r\n',
    'Host: \r\n',
    'Host: evil.example.com\r\n',
    'Host: evil.example.com:4700\r\n',
  ],
  ...['Host: localhost.evil.example.com\r\n', 'Host: 127.0.0.1.evil.example.com\r\n'],
  ...['Host: evil.example.com#127.0.0.1\r\n', 'Host: evil.example.com@127.0.0.1\r\n'],
  ...['Host: 127.0.0.1@evil.example.com\r\n', 'Host: 127.0.0.1, evil.example.com\r\n'],
  ...['Host: 127.0.0.1:80:90\r\n', 'Host: 127.0.0.1:99999999\r\n', 'Host: 0.0.0.0\r\n'],
  ...[
    'Host: 2130706433\r\n',
    'Host: 127.1\r\n',
    'Host: 10.0.0.1\r\n',
    'Host: [::ffff:127.0.0.1]\r\n',
  ],
  ...['Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n', 'Host: 127.0.0.1\r\nhost: evil.example.com\r\n'],
  ...['Host: evil.example.com\r\nHost: 127.0.0.1\r\n', 'X-Forwarded-Host: 127.0.0.1\r\n'],
  ...[
    'http://evil.example.com',
    'https://evil.example.com',
    'null',
    'file://',
    'http://127.0.0.1:1',
  ].map((origin) => `Host: 127.0.0.1\r\nOrigin: ${origin}\r\n`),
  ...[
    'http://localhost',
    'http://127.0.0.1.evil.example.com',
    'http://127.0.0.1@evil.example.com',
  ].map((origin) => `Host: 127.0.0.1\r\nOrigin: ${origin}\r\n`),
  'Host: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nOrigin: http://evil.example.com\r\n',
  'Host: evil.example.com\r\nOrigin: http://evil.example.com\r\n',
];

/** One route of each kind: with and without a key, with a body, page, socket, missing, refused. */
const KINDS = [
  'health',
  'listProjects',
  'createProject',
  'writeFile',
  'viewPage',
  'viewSocket',
  'process',
];

promise(
  5,
  'a request with a foreign, missing or doubled Host or Origin is refused',
  async (report) => {
    const kinds = KINDS.map((name) => routes.find((route) => route.name === name));
    const starts = [
      ...kinds.map((route) => `${route?.method} ${fill(route?.path ?? '', { id: 'cmp_x' })}`),
      ...[
        'GET /metrics',
        'GET /',
        'GET /api/%zz',
        'OPTIONS /api/projects',
        'GET /api/openapi.json',
      ],
    ];
    let requests = 0;
    for (const start of starts) {
      for (const lines of refused) {
        for (const upgrade of ['', UPGRADE_LINES.join('')]) {
          const key = `Authorization: Bearer ${app.world.key}\r\n`;
          const answer = await app.raw(`${start} HTTP/1.1\r\n${lines}${key}${upgrade}\r\n`);
          const what = `${start} ${JSON.stringify(lines)}`;
          expect(answer, what).toMatch(/^HTTP\/1\.1 400 /);
          expect(answer, what).toMatch(/^x-error-code: invalid_request\r$/im);
          expect(answer.toLowerCase(), what).not.toContain('access-control-');
          requests += 1;
        }
      }
    }
    report(`${requests} requests, all 400`);
  },
  LONG_MS,
);

promise(5, 'its own names are accepted in any form', async () => {
  for (const host of [
    '127.0.0.1',
    'localhost',
    'LocalHost',
    '[::1]',
    '127.0.0.1:4700',
    'localhost:1',
  ]) {
    for (const origin of ['', `Origin: http://${host}\r\n`, `Origin: https://${host}\r\n`]) {
      const answer = await app.raw(`GET /api/health HTTP/1.1\r\nHost: ${host}\r\n${origin}\r\n`);
      expect(answer, `${host} ${origin}`).toMatch(/^HTTP\/1\.1 200 /);
    }
  }
});

promise(5, 'other pages can neither read answers nor submit forms', async (report) => {
  let answers = 0;
  for (const route of routes) {
    for (const method of [route.method, 'OPTIONS']) {
      const headers = {
        'access-control-request-method': route.method,
        'access-control-request-headers': 'authorization,content-type',
      };
      const answer = await app.send(method, fill(route.path, {}), { headers });
      const names = Object.keys(answer.headers).filter((name) => /^access-control-/.test(name));
      expect(names, `${method} ${route.path}`).toEqual([]);
      answers += 1;
    }
  }
  // Content types that a form can send without a preflight request.
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const sent = { body: '{"name": "form"}', headers: { 'content-type': type } };
    expect((await app.send('POST', '/api/projects', sent)).status, type).toBe(415);
  }
  report(`${answers} answers without Access-Control headers`);
});
