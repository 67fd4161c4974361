import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { fill, type Route, routes, UPGRADE } from '../../support/routes.js';
import { promise } from '../../support/run/promise.js';
import { openTestService, type TestService } from '../../support/service/service.js';
import { rested, vitals, watchMemory } from '../../support/service/vitals.js';
import { exampleOf } from '../../support/shapes.js';

const VC = new URL('../../../bin/vc.js', import.meta.url).pathname;
const MIB = 2 ** 20;
const PARALLEL = 1000;

/** Promises that need no computer, on a real service. */
let service: TestService;
beforeAll(async () => {
  service = await openTestService();
  await service.vc.projects.create('demo');
});
afterAll(() => service.close());

const linesOf = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);

/** Sends the text, then the parts; returns what is answered until the end of the headers. */
async function raw(text: string, parts: Iterable<Buffer> = []): Promise<string> {
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
  // Each wait below listens for errors.
  socket.setMaxListeners(0);
  // A refused body ends with a reset.
  socket.on('error', () => undefined);
  let answer = '';
  socket.on('data', (data) => {
    answer += data.toString('latin1');
  });
  const isOver = () => answer.includes('\r\n\r\n') || socket.destroyed;
  socket.write(text);
  for (const part of parts) {
    if (isOver()) break;
    if (!socket.write(part)) {
      await Promise.race([once(socket, 'drain'), once(socket, 'data'), once(socket, 'close')]);
    }
  }
  while (!isOver()) await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  socket.destroy();
  return answer;
}

promise(3, 'every route answers 401 without a key, before the body is read', async (report) => {
  const closed = routes.filter(({ open }) => !open);
  const wrong = [
    '',
    `authorization: Bearer vc_${'0'.repeat(32)}\r\n`,
    'authorization: Basic YTpi\r\n',
  ];
  let requests = 0;
  for (const [at, { method, path, upgrade }] of closed.entries()) {
    const target = fill(path, { project: 'demo' });
    const body =
      method === 'GET' ? '' : 'content-type: application/json\r\ncontent-length: 1000\r\n';
    const more = upgrade ? linesOf(UPGRADE).join('') : body;
    for (const key of [wrong[0], wrong[1 + (at % 2)]]) {
      const answer = await raw(
        `${method} ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\n${key}${more}\r\n`,
      );
      expect(answer, `${method} ${target} ${key}`).toMatch(/^HTTP\/1\.1 401 /);
      expect(answer, `${method} ${target}`).toMatch(/^www-authenticate: Bearer\r$/im);
      requests += 1;
    }
  }
  for (const path of ['/metrics', '/api/nothing', '/.env', '/api/%70rojects', '//api/projects']) {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
    expect(answer, path).toMatch(/^HTTP\/1\.1 401 /);
    requests += 1;
  }
  report(`${requests} requests, all 401`);
});

promise(5, 'requests under other names or of other pages are refused', async (report) => {
  const refused = [
    ...['', 'host: evil.example.com', 'host: 0.0.0.0', 'host: 10.0.0.1', 'host: 127.1'],
    ...['host: 127.0.0.1\r\nhost: 127.0.0.1', 'x-forwarded-host: 127.0.0.1'],
    ...['http://evil.example.com', 'null', 'file://', 'http://127.0.0.1:1'].map(
      (origin) => `host: 127.0.0.1\r\norigin: ${origin}`,
    ),
  ].map((lines) => (lines === '' ? '' : `${lines}\r\n`));
  const starts = ['GET /api/projects', 'POST /api/projects', 'GET /api/health', 'GET /'];
  const key = `authorization: Bearer ${service.apiKey}\r\n`;
  for (const start of starts) {
    for (const lines of refused) {
      const answer = await raw(`${start} HTTP/1.1\r\n${lines}${key}\r\n`);
      expect(answer, `${start} ${JSON.stringify(lines)}`).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer.toLowerCase()).not.toContain('access-control-');
    }
  }
  const own = await raw(`GET /api/projects HTTP/1.1\r\nhost: localhost:1\r\n${key}\r\n`);
  expect(own).toMatch(/^HTTP\/1\.1 200 /);
  report(`${starts.length * refused.length} requests, all 400`);
});

promise.runIf(inject('engine') === 'docker')(
  5,
  'a service is reachable from other machines only with --expose, and says so',
  async () => {
    const listen = [
      'serve',
      '--listen',
      '0.0.0.0:0',
      '--state',
      join(service.directory, 'exposed'),
    ];
    const refused = await service.cli(listen);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--expose');
    const env = { ...service.env, VC_CONFIG_DIR: join(service.directory, 'exposed-config') };
    const child = spawn(process.execPath, [VC, ...listen, '--expose'], { env });
    const exited = once(child, 'exit');
    let stderr = '';
    child.stderr.on('data', (data) => {
      stderr += data;
    });
    try {
      await eventually(async () => stderr.includes('listening on'));
      expect(stderr).toContain('reachable from other machines without encryption');
    } finally {
      child.kill('SIGTERM');
      await exited;
    }
  },
);

/** A route with a body for each operation. */
const withBody: readonly Route[] = [
  ...new Map(
    routes.filter(({ body, open }) => body && !open).map((route) => [route.name, route]),
  ).values(),
];

promise(8, 'hostile JSON is answered 400 by every route with a body', async (report) => {
  const depth = 100_000;
  for (const [at, { method, path, body }] of withBody.entries()) {
    const good = JSON.stringify(body === undefined ? {} : exampleOf(body));
    const also = good.length === 2 ? '' : `, ${good.slice(1, -1)}`;
    const hostile = [
      good.slice(0, -1),
      `${good} x`,
      `[${good}]`,
      '1e999',
      '['.repeat(depth) + ']'.repeat(depth),
      '{"a":['.repeat(depth),
      `{"__proto__": {"x": 1}${also}}`,
      `{"constructor": {"prototype": {"x": 1}}${also}}`,
    ];
    // Two kinds at each route: one parser reads all bodies.
    for (const text of [hostile[at % 8], hostile[(at + 3) % 8]]) {
      const response = await fetch(new URL(fill(path, { project: 'demo' }), service.baseUrl), {
        method,
        headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
        body: String(text),
      });
      const answer = await response.text();
      expect(response.status, `${method} ${path}: ${text?.slice(0, 100)}`).toBe(400);
      expect(Object.keys(JSON.parse(answer))).toEqual(['error']);
    }
  }
  report(`${2 * withBody.length} bodies, all 400`);
});

promise(8, 'a body that is too large is a 413, with bounded memory', async (report) => {
  const head = `POST /api/projects HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${service.apiKey}\r\ncontent-type: application/json\r\n`;
  expect(await raw(`${head}content-length: ${8 * MIB + 1}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /);
  const chunk = Buffer.concat([
    Buffer.from('100000\r\n'),
    Buffer.alloc(MIB, ' '),
    Buffer.from('\r\n'),
  ]);
  let taken = 0;
  function* endless() {
    for (; taken < 1024; taken++) yield chunk;
  }
  const before = vitals(service.pid).mib;
  const memory = watchMemory(service.pid);
  expect(await raw(`${head}transfer-encoding: chunked\r\n\r\n`, endless())).toMatch(
    /^HTTP\/1\.1 413 /,
  );
  const growth = memory.stop() - before;
  expect(taken).toBeLessThan(64);
  expect(growth).toBeLessThan(100);
  report(`413 after ${taken} of 1,024 MiB, +${growth} MiB`);
});

promise(
  21,
  'a thousand requests at once are answered or refused, and leave nothing',
  async (report) => {
    const { pid, apiKey, baseUrl } = service;
    const before = await rested(pid, vitals(pid).descriptors);
    const dispatcher = new Agent({ connections: PARALLEL, pipelining: 1 });
    const statuses = new Map<number, number>();
    const asked = Array.from({ length: PARALLEL }, async (_, i) => {
      const path = ['/projects', '/me', '/projects/demo'][i % 3] ?? '';
      const headers = { authorization: `Bearer ${apiKey}` };
      const { statusCode, body } = await request(baseUrl + path, { headers, dispatcher });
      await body.dump();
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
    });
    const health = await service.http('GET', '/health');
    expect(health.status).toBe(200);
    await Promise.all(asked);
    await dispatcher.close();
    expect([...statuses.keys()].filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
    const after = await rested(pid, before.descriptors + 5);
    const counts = [...statuses].map(([status, times]) => `${times} × ${status}`).join(', ');
    report(`${counts}; descriptors ${before.descriptors}, ${after.descriptors} after`);
  },
);
