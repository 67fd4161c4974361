import { afterEach, beforeEach, expect } from 'vitest';
import { type Answer, openTestApp, type TestApp } from '../../support/app.js';
import { FakeForkingEngine } from '../../support/fake-engine.js';
import { fill, parametersOf, type Route, routes, UPGRADE } from '../../support/routes.js';
import { promise } from '../../support/run/promise.js';
import { exampleOf } from '../../support/shapes.js';

/** Hundreds of requests, on a machine that may be busy. */
const LONG_MS = 120_000;

let app: TestApp;
/** What belongs to the first owner, and names of the same length of nothing. */
let theirs: Record<string, string>;
let nobodys: Record<string, string>;
let stranger: string;

beforeEach(async () => {
  app = await openTestApp({ engine: new FakeForkingEngine(), maxRunning: 99 });
  stranger = `Bearer ${app.world.addOwner('stranger')}`;
  await restore();
});
afterEach(() => app.close());

/** Makes what the first owner has, as far as it is not there. */
async function restore(): Promise<void> {
  await app.send('POST', '/api/projects', { body: { name: 'demo' } });
  await app.send('POST', '/api/projects/demo/computers', { body: { name: 'desk' } });
  const connection = { name: 'target', url: 'rtmp://8.8.8.8/live', stream_key: 'secret' };
  await app.send('POST', '/api/connections', { body: connection });
  const { json } = await app.send('GET', '/api/projects/demo/computers/desk');
  const made = await app.send('POST', '/api/keys', { body: { name: 'second' } });
  const [id, key] = [String(json.id), String(made.json.id)];
  theirs = { id, key, project: 'demo', computer: 'desk', name: 'target', job: 'job_a' };
  nobodys = { ...swapped(theirs), job: 'job_a' };
}

/** The same letters, from the other end: of the same length and form, and nobody's. */
function swapped(names: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(names).map(([name, value]) => {
      const [, prefix = '', rest = ''] = /^((?:[a-z]+_)?)(.*)$/.exec(value) ?? [];
      return [name, prefix + [...rest].reverse().join('')];
    }),
  );
}

/** All that a client gets to see, but for the request's own id and time; names made the same. */
function seen({ status, headers, text }: Answer): string {
  const { 'x-request-id': _id, date: _date, ...rest } = headers;
  let all = JSON.stringify({ status, rest, text });
  for (const [name, value] of Object.entries(theirs)) {
    all = all.replaceAll(value, `{${name}}`).replaceAll(nobodys[name] ?? value, `{${name}}`);
  }
  return all;
}

const addressed = routes.filter((route) => !route.open && parametersOf(route).length > 0);

function ask(route: Route, names: Record<string, string>, body: unknown, query: string) {
  const headers = route.upgrade ? UPGRADE : {};
  const path = fill(route.path, names) + query;
  return app.send(route.method, path, { authorization: stranger, body, headers });
}

/** Every way to ask a route: as it should be asked, and wrongly. */
function askings(route: Route): [unknown, string][] {
  const query = route.query === undefined ? '' : queryOf(exampleOf(route.query));
  const body = bodyOf(route);
  const good: [unknown, string] = [route.method === 'PUT' ? 'bytes' : body, query];
  return [good, ...(route.body ? ([[{}, query]] as [unknown, string][]) : []), [good[0], '']];
}

function bodyOf({ name, body }: Route): unknown {
  // Any name of a connection would be one that is not there.
  if (name === 'startStream') return { url: 'rtmp://127.0.0.1/live/x' };
  return body === undefined ? undefined : exampleOf(body);
}

function queryOf(values: unknown): string {
  const given = Object.entries(values as Record<string, unknown>).map(([k, v]) => [k, String(v)]);
  return `?${new URLSearchParams(given as [string, string][])}`;
}

promise(
  4,
  "another owner's thing answers exactly as a missing one",
  async (report) => {
    let asked = 0;
    for (const route of addressed) {
      for (const [body, query] of askings(route)) {
        const what = `${route.method} ${route.path}${query} ${JSON.stringify(body)}`;
        const answer = await ask(route, theirs, body, query);
        const missing = await ask(route, nobodys, body, query);
        expect([400, 404], what).toContain(answer.status);
        expect(seen(answer), what).toBe(seen(missing));
        asked += 1;
      }
      const [body, query] = askings(route)[0] ?? [undefined, ''];
      expect((await ask(route, theirs, body, query)).status, route.path).toBe(404);
    }
    report(`${asked} requests to ${addressed.length} routes, answered alike`);
    // And nothing was done to it.
    const { json } = await app.send('GET', '/api/projects/demo/computers/desk');
    expect(json).toMatchObject({ id: theirs.id, status: 'running', name: 'desk' });
    expect((await app.send('GET', '/api/keys')).json.keys).toHaveLength(2);
    expect((await app.send('GET', '/api/connections')).json.connections).toHaveLength(1);
  },
  LONG_MS,
);

promise(
  4,
  "each of these routes finds what is the owner's own",
  async () => {
    // Without this, answers alike would prove nothing.
    for (const route of addressed) {
      const [body, query] = askings(route)[0] ?? [undefined, ''];
      const headers = route.upgrade ? UPGRADE : {};
      const path = fill(route.path, theirs) + query;
      const answer = await app.send(route.method, path, { body, headers });
      expect(answer.status, `${route.method} ${path}`).not.toBe(404);
      await restore();
    }
  },
  LONG_MS,
);

promise(4, "another owner's lists, streams and tickets have nothing of it", async () => {
  for (const [path, list] of [
    ['/api/projects', 'projects'],
    ['/api/connections', 'connections'],
  ] as const) {
    expect((await app.send('GET', path, { authorization: stranger })).json[list]).toEqual([]);
  }
  const own = { authorization: stranger };
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
  const [answer, missing] = [await stream('target'), await stream(nobodys.name ?? '')];
  expect(answer.status).toBe(404);
  expect(seen(answer)).toBe(seen(missing));
});
