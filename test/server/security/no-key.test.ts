// @module-tag slow
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateApiKey, hashApiKey } from '../../../src/fleet/computers/ids.js';
import { DASHBOARD_PATHS } from '../../../src/server/dashboard/pages.js';
import { type Answer, openTestApp, type TestApp } from '../../support/app.js';
import { fill, type Route, routes, UPGRADE } from '../../support/routes.js';
import { promise } from '../../support/run/promise.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'];
/** Hundreds of connections, on a machine that may be busy. */
const LONG_MS = 120_000;

let app: TestApp;
/** Path parameters of existing resources. */
let there: Record<string, string>;
beforeAll(async () => {
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'demo' } });
  const created = await app.send('POST', '/api/projects/demo/computers', {
    body: { name: 'desk' },
  });
  const keys = (await app.send('GET', '/api/keys')).json.keys as { id: string }[];
  const body = { name: 'target', url: 'rtmp://8.8.8.8/live', stream_key: 'secret' };
  expect((await app.send('POST', '/api/connections', { body })).status).toBe(200);
  there = { id: String(created.json.id), project: 'demo', computer: 'desk', name: 'target' };
  there = { ...there, key: keys[0]?.id ?? '', job: 'job_a' };
});
afterAll(() => app.close());

/** The answer to every request without a key. */
function expectRefusal(answer: Answer, what: string): void {
  expect(answer.status, what).toBe(401);
  expect(answer.headers['www-authenticate'], what).toBe('Bearer');
  expect(answer.headers['x-error-code'], what).toBe('unauthorized');
  if (answer.text !== '') expect(Object.keys(answer.json), what).toEqual(['error']);
}

const closed = routes.filter(({ open }) => !open);
const open = routes.filter((route) => route.open);
const isOpen = (method: string, { path }: Route) =>
  ['GET', 'HEAD'].includes(method) && open.some((route) => route.path === path);

it('the contract has every route of the service', () => {
  const known = new Set([
    ...routes.flatMap(({ method, path }) => [`${method} /api${path}`, `HEAD /api${path}`]),
    ...DASHBOARD_PATHS.flatMap((path) => [`GET ${path}`, `HEAD ${path}`]),
    'GET /metrics',
    'HEAD /metrics',
    // The files of the pages: the framework prints a wildcard without its prefix.
    ...['GET *', 'HEAD *', 'GET /*', 'HEAD /*'],
  ]);
  const served = app.routes();
  expect(served.length).toBeGreaterThan(routes.length);
  expect(served.filter((route) => !known.has(route))).toEqual([]);
});

promise(
  3,
  'every route answers 401 to every kind of wrong credentials',
  async (report) => {
    const wrong: [string, string | null][] = [
      ['none', null],
      ['empty', ''],
      ['no key', 'Bearer '],
      ['an unknown one', `Bearer ${generateApiKey()}`],
      ['one letter less', `Bearer ${app.world.key.slice(0, -1)}`],
      ['one letter more', `Bearer ${app.world.key}0`],
      ['another case', `Bearer ${app.world.key.toUpperCase()}`],
      ['its hash', `Bearer ${hashApiKey(app.world.key)}`],
      ['without a scheme', app.world.key],
      ['another scheme', `Basic ${Buffer.from(`user:${app.world.key}`).toString('base64')}`],
      ['two', `Bearer ${app.world.key} ${app.world.key}`],
      ['a long one', `Bearer ${'x'.repeat(8000)}`],
    ];
    let openings = 0;
    for (const [at, { method, path }] of closed.entries()) {
      // Each kind on some routes, and some kinds on each route.
      const some = wrong.filter((_, index) => index < 2 || (index + at) % 4 === 0);
      const answers = some.map(async ([what, authorization]) => {
        const answer = await app.send(method, fill(path, there), { authorization });
        expectRefusal(answer, `${method} ${path}, key: ${what}`);
      });
      openings += (await Promise.all(answers)).length;
    }
    report(`${openings} requests, all 401`);
  },
  LONG_MS,
);

promise(3, 'a key is accepted only in its header', async () => {
  const { key } = app.world;
  for (const query of [`?key=${key}`, `?api_key=${key}`, `?access_token=${key}`, `?token=${key}`]) {
    const answer = await app.send('GET', `/api/projects${query}`, { authorization: null });
    expectRefusal(answer, query);
  }
  for (const [name, value] of [
    ['cookie', `key=${key}`],
    ['x-api-key', key],
  ] as const) {
    const headers = { [name]: value };
    const answer = await app.send('GET', '/api/projects', { authorization: null, headers });
    expectRefusal(answer, name);
  }
});

promise(
  3,
  'every method, upgrade and unknown path answers 401 without a key',
  async (report) => {
    const paths = [...new Map(routes.map((route) => [route.path, route])).values()];
    const unknown = [
      ...[
        '/nothing',
        '/assets',
        '/computers/a/b/c',
        '/api',
        '/api/',
        '/api/nothing',
        '/apiprojects',
        '/metrics',
        '/metrics/',
        '//api/projects',
      ],
      ...[
        '/api/projects/',
        '/api/PROJECTS',
        '/api/%70rojects',
        '/api/projects%00',
        '/api/%zz',
        '/api/health/',
      ],
      ...[
        '/api/healthx',
        '/api/health/../projects',
        '/api/openapi.json/..',
        '/api/view',
        '/favicon.ico',
      ],
      ...[
        `/api/${'x'.repeat(5000)}`,
        `/api/projects/${'x'.repeat(5000)}`,
        '/api/view/a/b/c',
        '/.env',
      ],
    ];
    let openings = 0;
    for (const method of METHODS) {
      const targets = [
        ...paths.filter((route) => !isOpen(method, route)).map(({ path }) => fill(path, there)),
        ...unknown,
      ];
      const answers = targets.map(async (target) =>
        expectRefusal(
          await app.send(method, target, { authorization: null }),
          `${method} ${target}`,
        ),
      );
      openings += (await Promise.all(answers)).length;
    }
    for (const { path } of paths.filter((route) => !route.open)) {
      const answer = await app.send('GET', fill(path, there), {
        authorization: null,
        headers: UPGRADE,
      });
      expectRefusal(answer, `upgrade ${path}`);
      openings += 1;
    }
    report(`${openings} methods, upgrades and unknown paths, all 401`);
  },
  LONG_MS,
);

promise(
  3,
  'the answer comes before the body is read',
  async (report) => {
    let bodies = 0;
    for (const { method, path } of closed.filter(({ method }) => method !== 'GET')) {
      for (const length of ['Content-Length: 1000000000', 'Transfer-Encoding: chunked']) {
        const head = `${method} ${fill(path, there)} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`;
        const answer = await app.raw(`${head}${length}\r\n\r\n`);
        expect(answer, `${method} ${path}`).toMatch(/^HTTP\/1\.1 401 /);
        // An unread body must not be parsed as the next request.
        expect(answer).toMatch(/^connection: close\r$/im);
        bodies += 1;
      }
    }
    report(`${bodies} bodies never read`);
  },
  LONG_MS,
);

promise(3, '100 Continue is sent only after authentication', async () => {
  const head =
    'POST /api/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n';
  const expecting = `${head}Expect: 100-continue\r\nContent-Length: 1000\r\n`;
  expect(await app.raw(`${expecting}\r\n`)).toMatch(/^HTTP\/1\.1 401 /);
  const known = `${expecting}Authorization: Bearer ${app.world.key}\r\n\r\n`;
  expect(await app.raw(known)).toMatch(/^HTTP\/1\.1 100 Continue/);
});

promise(
  3,
  'a key has 160 random bits, is shown once, and is stored only as SHA-256',
  async (report) => {
    const created = await app.send('POST', '/api/keys', { body: { name: 'once' } });
    const key = String(created.json.key);
    expect(key).toMatch(/^vc_[0-9a-hjkmnp-tv-z]{32}$/);
    const seen = new Set<string>();
    const counts = new Map<string, number>();
    for (let i = 0; i < 2000; i++) {
      const one = generateApiKey();
      seen.add(one);
      for (const letter of one.slice(3)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    // 32 letters of five bits each, evenly distributed: 64,000 / 32 = 2,000 of each.
    expect(seen.size).toBe(2000);
    expect(counts.size).toBe(32);
    for (const [letter, count] of counts) expect(Math.abs(count - 2000), letter).toBeLessThan(400);
    for (const path of ['/api/keys', '/api/me', '/api/projects']) {
      expect((await app.send('GET', path)).text).not.toContain(key);
    }
    const { directory } = app.world;
    const files = readdirSync(directory).map((name) =>
      readFileSync(join(directory, name), 'latin1'),
    );
    expect(files.join()).toContain(hashApiKey(key));
    expect(files.join()).not.toContain(key);
    report('160 bits, SHA-256');
  },
);

it('with a key, an existing path with another method answers 405', async () => {
  const methods = new Map<string, string[]>();
  for (const { method, path } of routes.filter(({ path }) => !path.endsWith('*'))) {
    methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  for (const [path, allowed] of methods) {
    for (const method of METHODS.filter((one) => !['HEAD', 'TRACE', ...allowed].includes(one))) {
      const answer = await app.send(method, fill(path, there));
      expect(answer.status, `${method} ${path}`).toBe(405);
      for (const one of allowed) expect(answer.json.error).toContain(one);
    }
  }
}, 120_000);
