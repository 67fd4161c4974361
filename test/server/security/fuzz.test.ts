// @module-tag slow
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { errorCatalogue, isErrorCode } from '../../../src/contract/errors.js';
import { type Answer, openTestApp, type TestApp } from '../../support/app.js';
import { FakeSnapshottingEngine } from '../../support/fake-engine.js';
import { fill, parametersOf, type Route, routes } from '../../support/routes.js';
import { inTier } from '../../support/run/tiers.js';
import { shapeOf, valuesOf } from '../../support/shapes.js';

/** Each seed gives its own sequence of requests. */
const SEED = Number(process.env.VC_TEST_SEED ?? 7);
/** Requests per route. */
const RUNS = inTier({ thorough: 50, quick: 3 });
/** Of one route. Statistics of a computer take half a second each. */
const LIMIT_MS = inTier({ thorough: 120_000, quick: 20_000 });

let app: TestApp;
let there: Record<string, string>;
beforeAll(async () => {
  app = await openTestApp({ engine: new FakeSnapshottingEngine(), maxRunning: 100_000 });
  await restore();
});
afterAll(() => app.close());

async function restore(): Promise<void> {
  await app.send('POST', '/api/projects', { body: { name: 'demo' } });
  await app.send('POST', '/api/projects/demo/computers', { body: { name: 'desk' } });
  const { json } = await app.send('GET', '/api/projects/demo/computers/desk');
  await app.send('POST', `/api/computers/${json.id}/start`);
  await app.send('POST', '/api/owners', { body: { name: 'colleague' } });
  const names = { project: 'demo', computer: 'desk', owner: 'colleague' };
  there = { id: String(json.id), ...names, job: 'job_a' };
}

/** Operations that use the network or take long: requested for a missing computer only. */
const AWAY = ['startStream', 'record'];

/** A request that matches the contract's schemas, or nearly, for an existing or missing resource. */
function requestsOf(route: Route): fc.Arbitrary<{ path: string; body: unknown }> {
  const isAway = AWAY.includes(route.name);
  const parameters = parametersOf(route).map((name) => {
    const real = isAway ? [] : [{ weight: 4, arbitrary: fc.constant(there[name] ?? 'none') }];
    const other = { weight: 1, arbitrary: fc.string({ minLength: 1, unit: 'grapheme' }) };
    return [name, fc.oneof(...real, other)] as const;
  });
  const given = (schema: Route['body']) =>
    schema === undefined
      ? fc.constant(undefined)
      : fc.oneof(
          { weight: 5, arbitrary: valuesOf(shapeOf(schema)) },
          { weight: 1, arbitrary: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })) },
        );
  return fc
    .record({
      names: fc.record(Object.fromEntries(parameters)),
      query: given(route.query),
      body: given(route.body),
    })
    .map(({ names, query, body }) => {
      const words = Object.entries(query ?? {}).map(([name, value]) => [name, String(value)]);
      const search = words.length > 0 ? `?${new URLSearchParams(words as [string, string][])}` : '';
      return { path: fill(route.path, names as Record<string, string>) + search, body };
    });
}

function expectByContract(route: Route, answer: Answer): void {
  expect(answer.status).toBeLessThan(500);
  if (answer.status === 200) {
    if (route.response) route.response.parse(answer.json);
    return;
  }
  const code = String(answer.headers['x-error-code']);
  if (route.path.endsWith('/mcp') && code === 'undefined') {
    // The protocol has errors of its own.
    expect(answer.json).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
    return;
  }
  expect(isErrorCode(code) && errorCatalogue[code].status).toBe(answer.status);
  expect(answer.json).toEqual({ error: expect.stringMatching(/^[^\n]+$/) });
}

it.each(
  routes
    .filter(({ upgrade, open }) => !upgrade && !open)
    .map((route) => [`${route.method} ${route.path}`, route] as const),
)(
  '%s answers by the contract, and never fails',
  async (_, route) => {
    await fc.assert(
      fc.asyncProperty(requestsOf(route), async ({ path, body }) => {
        const sent = route.name === 'writeFile' ? { body: String(body) } : { body };
        expectByContract(route, await app.send(route.method, path, sent));
      }),
      { numRuns: RUNS, seed: SEED },
    );
    if (route.method !== 'GET') await restore();
  },
  LIMIT_MS,
);
