// @module-tag slow
import { connect } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { fill, type Route, routes } from '../../support/routes.js';
import { promise } from '../../support/run/promise.js';
import { isThorough } from '../../support/run/tiers.js';
import { exampleOf, shapeOf } from '../../support/shapes.js';

/** Thousands of requests, on a machine that may be busy. */
const LONG_MS = 180_000;

let app: TestApp;
let there: Record<string, string>;
beforeAll(async () => {
  app = await openTestApp({ maxRunning: 1000 });
  await app.send('POST', '/api/projects', { body: { name: 'demo' } });
  const created = await app.send('POST', '/api/projects/demo/computers', {
    body: { name: 'desk' },
  });
  there = { id: String(created.json.id), project: 'demo', computer: 'desk' };
});
afterAll(() => app.close());

/**
 * One path of each operation with a body; its other paths read the body in the same way. Logging in has
 * a shorter limit, and test/server/security/sessions.test.ts its hostile bodies.
 */
const withBody = [
  ...new Map(
    routes
      .filter(({ body, open }) => body !== undefined && !open)
      .map((route) => [route.name, route]),
  ).values(),
];

/** Bodies that every route must refuse. */
function hostile({ body }: Route): [string, string][] {
  const good = JSON.stringify(body === undefined ? {} : exampleOf(body));
  const inside = good.slice(1, -1);
  const also = inside === '' ? '' : `, ${inside}`;
  const depth = 100_000;
  return [
    ['cut off', good.slice(0, -1)],
    ['no JSON', 'name=a&text=b'],
    ['trailing', `${good} x`],
    ['twice', good + good],
    ['a list', `[${good}]`],
    ['a string', JSON.stringify(good)],
    ['a number', '1e999'],
    ['null', 'null'],
    ['true', 'true'],
    ['single quotes', "{'a': 1}"],
    ['a comment', `/* */ ${good}`],
    ['NaN', '{"a": NaN}'],
    ['a control character', '{"a": "\u0001"}'],
    ['deep lists', '['.repeat(depth) + ']'.repeat(depth)],
    ['deep objects', `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`],
    ['deep and cut off', '{"a":['.repeat(depth)],
    ['__proto__', `{"__proto__": {"x": 1}${also}}`],
    ['escaped __proto__', `{"\\u005f_proto__": {"x": 1}${also}}`],
    ['constructor.prototype', `{"constructor": {"prototype": {"x": 1}}${also}}`],
    ['__proto__ further in', `{"a": [{"__proto__": {"x": 1}}]${also}}`],
  ];
}

/** Values of types that fields do not have. */
const WRONG = [null, {}, [], [[]], { length: 1 }, 'wrong \u0000', 1e300, -1, true, ['a', { b: 1 }]];

promise(
  8,
  'hostile JSON is answered 400 by every route with a body',
  async (report) => {
    let bodies = 0;
    for (const [place, route] of withBody.entries()) {
      // Each kind at a third of the routes, unless the run is thorough: one parser reads all bodies.
      const some = hostile(route).filter((_, i) => isThorough || (i + place) % 6 === 0);
      for (const [what, body] of some) {
        const answer = await app.send(route.method, fill(route.path, there), { body });
        expect(answer.status, `${route.method} ${route.path}: ${what}`).toBe(400);
        expect(Object.keys(answer.json), what).toEqual(['error']);
        expect(answer.text.length, what).toBeLessThan(1000);
        bodies += 1;
      }
    }
    expect(({} as Record<string, unknown>).x).toBeUndefined();
    report(`${bodies} bodies at ${withBody.length} routes, all 400`);
  },
  LONG_MS,
);

promise(
  8,
  'a field of the wrong type is a 400 that names it, never a failure',
  async (report) => {
    let fields = 0;
    for (const { method, path, body } of withBody) {
      if (body === undefined) continue;
      const example = exampleOf(body) as object;
      const wrong = Object.keys(shapeOf(body).properties ?? {})
        .flatMap((name) => WRONG.map((value) => ({ name, given: { ...example, [name]: value } })))
        .filter(({ given }) => !body.safeParse(given).success);
      const answers = wrong.map(async ({ given }) => {
        const answer = await app.send(method, fill(path, there), { body: given });
        const what = `${method} ${path} ${JSON.stringify(given).slice(0, 200)}`;
        expect(answer.status, what).toBe(400);
        expect(answer.headers['x-error-code'], what).toBe('invalid_request');
      });
      fields += (await Promise.all(answers)).length;
    }
    expect(fields).toBeGreaterThan(100);
    report(`${fields} wrong values, all 400`);
  },
  LONG_MS,
);

promise(8, 'a missing body is like an empty object', async () => {
  for (const route of withBody) {
    if (route.body === undefined) continue;
    const takesNothing = route.body.safeParse({}).success;
    for (const body of ['', ' \n']) {
      const answer = await app.send(route.method, fill(route.path, there), { body });
      if (takesNothing) expect(answer.status, route.path).toBeLessThan(500);
      else expect(answer.status, route.path).toBe(400);
    }
  }
});

promise(
  8,
  'a body that is too large is a 413 at every route',
  async (report) => {
    let most = 0;
    for (const [place, { method, path }] of withBody.entries()) {
      const head = `${method} ${fill(path, there)} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${app.world.key}\r\nContent-Type: application/json\r\n`;
      const announced = await app.raw(`${head}Content-Length: 8388609\r\n\r\n`);
      expect(announced, path).toMatch(/^HTTP\/1\.1 413 /);
      expect(announced, path).toMatch(/^x-error-code: payload_too_large\r$/im);
      if (!isThorough && place % 4 !== 0) continue;
      const { status, sent } = await pour(`${head}Transfer-Encoding: chunked\r\n\r\n`);
      expect(status, path).toBe(413);
      // The service stops reading soon after the limit.
      expect(sent, path).toBeLessThan(40);
      most = Math.max(most, sent);
    }
    report(`${withBody.length} routes; of 1,000 MiB in chunks at most ${most} were taken`);
  },
  LONG_MS,
);

/** Sends chunks of 1 MiB until it is answered; returns the status and the number of chunks sent. */
function pour(head: string): Promise<{ status: number; sent: number }> {
  const chunk = `100000\r\n${' '.repeat(2 ** 20)}\r\n`;
  return new Promise((resolve) => {
    const socket = connect(app.port, '127.0.0.1', () => socket.write(head, more));
    let sent = 0;
    let text = '';
    const more = () => {
      if (socket.destroyed || text !== '' || sent === 1000) return;
      sent += 1;
      socket.write(chunk, more);
    };
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ status: Number(text.split(' ')[1] ?? 0), sent }));
  });
}
