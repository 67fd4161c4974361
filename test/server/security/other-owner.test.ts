// @module-tag slow
import { afterEach, beforeEach, expect } from 'vitest';
import { type Answer, openTestApp, type TestApp } from '../../support/app.js';
import { FakeMountingEngine } from '../../support/fake-engine.js';
import { fill, type Route, UPGRADE } from '../../support/routes.js';
import { promise } from '../../support/run/promise.js';
import {
  addressed,
  ofOthers,
  swapped,
  validRequest,
  withoutNames,
} from '../../support/service/other-owner.js';

/** Hundreds of requests, on a machine that may be busy. */
const LONG_MS = 120_000;

let app: TestApp;
/** Resources of the first owner, and missing ones with names of the same length. */
let theirs: Record<string, string>;
let missing: Record<string, string>;
let otherKey: string;

beforeEach(async () => {
  const webhooks = { attemptMs: 100 };
  app = await openTestApp({ engine: new FakeMountingEngine(), maxRunning: 99, webhooks });
  const { json } = await app.send('POST', '/api/owners', { body: { name: 'stranger' } });
  otherKey = `Bearer ${(json.key as { key: string }).key}`;
  await restore();
});
afterEach(() => app.close());

/** Creates the first owner's resources that do not exist. */
async function restore(): Promise<void> {
  await app.send('POST', '/api/projects', { body: { name: 'demo' } });
  await app.send('POST', '/api/projects/demo/computers', { body: { name: 'desk' } });
  const computer = 'demo/desk';
  await app.send('POST', '/api/projects/demo/computers/desk/snapshots', {
    body: { name: 'clean' },
  });
  await app.send('POST', '/api/images', { body: { name: 'browser-ready', computer } });
  const publication = { body: { port: 8000 } };
  await app.send('POST', '/api/projects/demo/computers/desk/publications', publication);
  await app.send('POST', '/api/volumes', { body: { name: 'data' } });
  const connection = { name: 'target', url: 'rtmp://8.8.8.8/live', stream_key: 'secret' };
  await app.send('POST', '/api/connections', { body: connection });
  await app.send('POST', '/api/owners', { body: { name: 'colleague' } });
  const { json } = await app.send('GET', '/api/projects/demo/computers/desk');
  const created = await app.send('POST', '/api/keys', { body: { name: 'second' } });
  const hook = { url: 'https://8.8.8.8/hook', events: ['job.exited'] };
  const list = (await app.send('GET', '/api/webhooks')).json.webhooks as { id: string }[];
  const webhook = list[0] ?? (await app.send('POST', '/api/webhooks', { body: hook })).json;
  const runs = (await app.send('GET', '/api/runs')).json.runs as { id: string }[];
  const newRun = { body: { name: 'office', tasks: ['first-task'] } };
  const run = String((runs[0] ?? (await app.send('POST', '/api/runs', newRun)).json).id);
  const shown = { body: { status: 'passed', picture: '/9j/4AAQ' } };
  await app.send('PUT', `/api/runs/${run}/tasks/first-task`, shown);
  const [id, key] = [String(json.id), String(created.json.id)];
  const names = { project: 'demo', computer: 'desk', name: 'target', owner: 'colleague' };
  const saved = { snapshot: 'clean', image: 'browser-ready', volume: 'data' };
  const parts = { job: 'job_a', picture: '0001.png', port: '8000' };
  const task = 'first-task';
  theirs = { id, key, run, task, webhook: String(webhook.id), ...names, ...saved, ...parts };
  missing = { ...swapped(theirs), ...parts };
}

/** Everything a client sees except request id and time, with both sets of names made equal. */
function seen({ status, headers, text }: Answer): string {
  const { 'x-request-id': _id, date: _date, ...rest } = headers;
  return withoutNames(JSON.stringify({ status, rest, text }), theirs, missing);
}

function ask(route: Route, names: Record<string, string>, body: unknown, query: string) {
  const headers = route.upgrade ? UPGRADE : {};
  const path = fill(route.path, names) + query;
  return app.send(route.method, path, { authorization: otherKey, body, headers });
}

/** Whether a resource may be gone after it, or have another name. */
function removes({ method, path }: Route): boolean {
  return method === 'DELETE' || method === 'PATCH' || path.endsWith('/delete');
}

/** Bodies and queries for a route: valid and invalid ones. */
function requestsFor(route: Route): [unknown, string][] {
  const good = validRequest(route);
  const [, query] = good;
  return [good, ...(route.body ? ([[{}, query]] as [unknown, string][]) : []), [good[0], '']];
}

promise(
  4,
  "another owner's resource answers exactly like a missing one",
  async (report) => {
    let requests = 0;
    for (const route of ofOthers) {
      for (const [body, query] of requestsFor(route)) {
        const what = `${route.method} ${route.path}${query} ${JSON.stringify(body)}`;
        const answer = await ask(route, theirs, body, query);
        const expected = await ask(route, missing, body, query);
        expect([400, 404], what).toContain(answer.status);
        expect(seen(answer), what).toBe(seen(expected));
        requests += 1;
      }
      const [body, query] = requestsFor(route)[0] ?? [undefined, ''];
      expect((await ask(route, theirs, body, query)).status, route.path).toBe(404);
    }
    report(`${requests} requests to ${ofOthers.length} routes, same answers`);
    // The resources are unchanged.
    const { json } = await app.send('GET', '/api/projects/demo/computers/desk');
    expect(json).toMatchObject({ id: theirs.id, status: 'running', name: 'desk' });
    expect((await app.send('GET', '/api/keys')).json.keys).toHaveLength(2);
    expect((await app.send('GET', '/api/connections')).json.connections).toHaveLength(1);
  },
  LONG_MS,
);

promise(
  4,
  "each of these routes finds the owner's own resources",
  async () => {
    // Otherwise equal answers would prove nothing.
    for (const route of addressed) {
      const [body, query] = requestsFor(route)[0] ?? [undefined, ''];
      const headers = route.upgrade ? UPGRADE : {};
      const path = fill(route.path, theirs) + query;
      const answer = await app.send(route.method, path, { body, headers });
      expect(answer.status, `${route.method} ${path}`).not.toBe(404);
      if (removes(route)) await restore();
    }
  },
  LONG_MS,
);

promise(4, "another owner's lists, streams and tickets contain none of them", async () => {
  for (const [path, list] of [
    ['/api/projects', 'projects'],
    ['/api/connections', 'connections'],
    ['/api/volumes', 'volumes'],
    ['/api/publications', 'publications'],
  ] as const) {
    expect((await app.send('GET', path, { authorization: otherKey })).json[list]).toEqual([]);
  }
  const own = { authorization: otherKey };
  await app.send('POST', '/api/projects', { ...own, body: { name: 'demo' } });
  const mine = await app.send('POST', '/api/projects/demo/computers', {
    ...own,
    body: { name: 'desk' },
  });
  expect(mine.json.id).not.toBe(theirs.id);
  const stream = (name: string) =>
    app.send('POST', '/api/projects/demo/computers/desk/stream/start', {
      ...own,
      body: { connection_name: name },
    });
  const [answer, expected] = [await stream('target'), await stream(missing.name ?? '')];
  expect(answer.status).toBe(404);
  expect(seen(answer)).toBe(seen(expected));
});
