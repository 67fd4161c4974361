// @module-tag slow
import { afterAll, beforeAll, expect } from 'vitest';
import { type Answer, openTestApp, type TestApp } from '../../support/app.js';
import { FakeSnapshottingEngine } from '../../support/fake-engine.js';
import { CANARY, HOSTILE } from '../../support/hostile/texts.js';
import { fill, parametersOf, type Route, routes } from '../../support/routes.js';
import { promise } from '../../support/run/promise.js';
import { isThorough } from '../../support/run/tiers.js';
import { exampleOf, shapeOf, textsIn, withAt } from '../../support/shapes.js';

/** Thousands of requests, on a machine that may be busy. */
const LONG_MS = 180_000;

let app: TestApp;
let there: Record<string, string>;
let engine: FakeSnapshottingEngine;
beforeAll(async () => {
  engine = new FakeSnapshottingEngine();
  app = await openTestApp({ engine, maxRunning: 1000 });
  await restore();
});
afterAll(() => app.close());

async function restore(): Promise<void> {
  await app.send('POST', '/api/projects', { body: { name: 'demo' } });
  await app.send('POST', '/api/projects/demo/computers', { body: { name: 'desk' } });
  const { json } = await app.send('GET', '/api/projects/demo/computers/desk');
  await app.send('POST', '/api/owners', { body: { name: 'colleague' } });
  const names = { project: 'demo', computer: 'desk', name: 'none', owner: 'colleague' };
  there = { id: String(json.id), ...names, job: 'job_a' };
}

/**
 * Stored unchanged, or refused in the contract's form; of the headers only the remedy may quote it. A
 * wait for something that is not there fails.
 */
function expectInert(answer: Answer, what: string): void {
  const allowed = what.includes('/wait ') ? [200, 400, 500] : [200, 400, 404, 405];
  expect(allowed, `${what}: ${answer.text.slice(0, 200)}`).toContain(answer.status);
  if (answer.status !== 200) expect(Object.keys(answer.json), what).toEqual(['error']);
  const { 'x-error-remedy': remedy = '', ...headers } = answer.headers;
  expect(remedy, what).toMatch(/^[ -~]*$/);
  expect(JSON.stringify(headers), what).not.toContain(CANARY);
}

/** A wait for a condition, whose time passes. */
const SHORT = { until: {}, timeout: 0.1 };

/** All texts in a thorough run, else a third of them, another one at each place. */
const textsAt = (place: number) => HOSTILE.filter((_, i) => isThorough || (i + place) % 6 === 0);

/** One path of each operation; its other paths read body and query in the same way. */
const firsts = [
  ...new Map(routes.toReversed().map((route) => [route.name, route])).values(),
].filter(
  // Only the web page logs in: see sessions.test.ts.
  ({ name }) => name !== 'createSession',
);

promise(
  7,
  'a hostile text in any field is stored unchanged or refused',
  async (report) => {
    let fields = 0;
    let sent = 0;
    for (const { method, path, body } of firsts) {
      if (body === undefined) continue;
      const example = exampleOf(body);
      for (const field of textsIn(shapeOf(body))) {
        const answers = textsAt(fields).map(async (text) => {
          const given = withAt(
            method === 'POST' && path.endsWith('/wait') ? SHORT : example,
            field,
            text,
          );
          const answer = await app.send(method, fill(path, there), { body: given });
          expectInert(answer, `${method} ${path} ${field.join('.')} = ${JSON.stringify(text)}`);
        });
        sent += (await Promise.all(answers)).length;
        fields += 1;
      }
      await restore();
    }
    report(`${fields} fields, ${sent} texts`);
    expectOnlyOurNames();
  },
  LONG_MS,
);

promise(
  7,
  'a hostile name in any path or query is treated as a name only',
  async (report) => {
    let sent = 0;
    const closed = routes.filter(({ open, upgrade }) => !open && !upgrade);
    for (const [place, route] of closed.entries()) {
      const texts = textsAt(place).filter((text) => text.isWellFormed());
      const body = route.body === undefined ? undefined : exampleOf(route.body);
      const given = route.name === 'writeFile' ? 'bytes' : body;
      const queries = firsts.includes(route) && route.query ? namesIn(route) : [];
      const some = firsts.includes(route) ? texts : texts.slice(0, 5);
      const answers = some.flatMap((text) => [
        ...parametersOf(route).map((name) =>
          fill(route.path, { ...there, [name]: missing(route, text) }),
        ),
        ...queries.map(
          (name) => `${fill(route.path, there)}?${new URLSearchParams([[name, text]])}`,
        ),
      ]);
      await Promise.all(
        answers.map(async (path) =>
          expectInert(
            await app.send(route.method, path, { body: given }),
            `${route.method} ${path}`,
          ),
        ),
      );
      sent += answers.length;
      await restore();
    }
    report(`${sent} paths and queries`);
    expectOnlyOurNames();
  },
  LONG_MS,
);

/** A name for a path; of a recording one that no computer has, because it would not end. */
function missing({ name }: Route, text: string): string {
  return name === 'record' ? `none${text}` : text;
}

/** The fields of a query; of a recording only its duration, without which it does not end. */
function namesIn({ name, query }: Route): string[] {
  if (name === 'record') return ['duration'];
  return query === undefined ? [] : Object.keys(shapeOf(query).properties ?? {});
}

/** No machine has a name or value that came from a request, except a valid host name. */
function expectOnlyOurNames(): void {
  expect(engine.machines.size).toBeGreaterThan(0);
  for (const { spec } of engine.machines.values()) {
    const { hostName, ...others } = spec;
    expect(JSON.stringify(others)).not.toContain(CANARY);
    expect(hostName).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
    expect(spec.id).toMatch(/^cmp_[0-9a-z]{20}$/);
  }
}

promise(7, 'an accepted name is returned unchanged', async (report) => {
  await app.send('POST', '/api/projects', { body: { name: 'names' } });
  const taken: string[] = [];
  for (const text of HOSTILE) {
    const created = await app.send('POST', '/api/projects/names/computers', {
      body: { name: text },
    });
    if (created.status !== 200) continue;
    taken.push(text);
    const path = fill('/projects/:project/computers/:computer', {
      project: 'names',
      computer: text,
    });
    // Clients resolve `.` and `..` in paths; the id always works.
    const byId = await app.send('GET', `/api/computers/${created.json.id}`);
    expect(byId.json.name).toBe(text);
    const byName = await app.send('GET', path);
    expect(byName.json, path).toMatchObject({ id: created.json.id, name: text });
    expect((await app.send('DELETE', `/api/computers/${created.json.id}`)).status).toBe(200);
  }
  expect(taken.length).toBeGreaterThan(10);
  report(`${taken.length} of ${HOSTILE.length} hostile names accepted and returned`);
});
