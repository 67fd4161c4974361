// @module-tag slow
import { once } from 'node:events';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  type Access,
  includesRight,
  type Right,
  rightFor,
} from '../../../src/contract/access/rights.js';
import { RIGHTS } from '../../../src/contract/constants.js';
import { ApiError } from '../../../src/contract/errors.js';
import { access } from '../../../src/contract/operations.js';
import { authorize } from '../../../src/server/access/authorization.js';
import { type Answer, openTestApp, type TestApp } from '../../support/app.js';
import { FakeSnapshottingEngine } from '../../support/fake-engine.js';
import { fill, type Route, routes, UPGRADE } from '../../support/routes.js';
import { promise } from '../../support/run/promise.js';
import { openViewer } from '../../support/viewer.js';

const LONG_MS = 120_000;
const bearer = (key: string) => `Bearer ${key}`;

let app: TestApp;
/** Texts of keys by their rights, for all projects and for the project `shop`. */
const keys = { all: {}, shop: {} } as Record<'all' | 'shop', Record<Right, string>>;
/** A computer in the project `shop`, and one in `other`. */
let inShop: string;
let inOther: string;

beforeAll(async () => {
  app = await openTestApp({ engine: new FakeSnapshottingEngine(), maxRunning: 99 });
  for (const name of ['shop', 'other']) {
    await app.send('POST', '/api/projects', { body: { name } });
    await app.send('POST', `/api/projects/${name}/computers`, { body: { name: 'desk' } });
  }
  const idOf = async (project: string) =>
    String((await app.send('GET', `/api/projects/${project}/computers/desk`)).json.id);
  [inShop, inOther] = [await idOf('shop'), await idOf('other')];
  for (const rights of RIGHTS) {
    keys.all[rights] = await createKey({ name: rights, rights });
    keys.shop[rights] = await createKey({ name: `shop ${rights}`, rights, project: 'shop' });
  }
});
afterAll(() => app.close());

async function createKey(body: object, key = app.world.key): Promise<string> {
  const { json, status } = await app.send('POST', '/api/keys', {
    ...{ body, authorization: bearer(key) },
  });
  expect(status, JSON.stringify(json)).toBe(200);
  return String(json.key);
}

const ask = (key: string, method: string, path: string, body?: unknown) =>
  app.send(method, `/api${path}`, { authorization: bearer(key), ...(body ? { body } : {}) });

const closed = routes.filter(({ open }) => !open);
const needsOf = ({ name }: Route) => access[name as keyof typeof access] as Access;

/** Of something that does not exist, so that nothing is changed: the rights come first. */
function probe(route: Route, key: string): Promise<Answer> {
  const headers = route.upgrade ? UPGRADE : {};
  return app.send(route.method, fill(route.path, {}), { authorization: bearer(key), headers });
}

/** Names of routes that need a key, and of which the contract does not say what it must be able to do. */
const withoutRight = (list: readonly Pick<Route, 'name'>[]) =>
  list.map(({ name }) => name).filter((name) => !Object.hasOwn(access, name));

test('the contract says for every operation and WebSocket what it needs', () => {
  expect(withoutRight(closed)).toEqual([]);
  // A new operation for which nobody has said it.
  expect(withoutRight([...closed, { name: 'brandNew' }])).toEqual(['brandNew']);
  const open = routes.filter(({ open }) => open).map(({ name }) => name);
  for (const [name, needed] of Object.entries(access)) {
    expect(needed === 'open', name).toBe(open.includes(name));
  }
});

promise(
  3,
  'every operation and WebSocket refuses every key without the right',
  async (report) => {
    let requests = 0;
    for (const route of closed) {
      const needed = needsOf(route);
      // The request has no body, so fields have their defaults.
      const right = rightFor(needed, route.body?.safeParse({}).data);
      const { reach } = needed;
      for (const rights of RIGHTS) {
        for (const project of ['all', 'shop'] as const) {
          const answer = await probe(route, keys[project][rights]);
          const isAllowed =
            includesRight(rights, right) && (project === 'all' || reach === 'project');
          const what = `${route.method} ${route.path} with ${rights} for ${project}`;
          const code = answer.headers['x-error-code'];
          if (isAllowed) expect(code, what).not.toBe('forbidden');
          else if (/^\/(owners|cluster)\b/.test(route.path)) expect(answer.status, what).toBe(404);
          else expect([answer.status, code], what).toEqual([403, 'forbidden']);
          expect(answer.status, what).not.toBe(401);
          requests += 1;
        }
      }
    }
    report(`${requests} requests with six keys to ${closed.length} routes`);
  },
  LONG_MS,
);

test('a route without a right does not exist, except for a key with all of them', () => {
  const request = { is404: false, routeOptions: { config: {} } } as unknown as FastifyRequest;
  const hidden = () => new ApiError('not_found', 'nothing here');
  const isRefused = (key: string) => {
    const owner = app.world.fleet.apiKeys.authenticate(key);
    if (owner === undefined) throw new Error('the key is unknown');
    try {
      authorize(request, owner, app.world.fleet.apiKeys.own(owner).rights, hidden);
      return false;
    } catch (error) {
      return (error as ApiError).code;
    }
  };
  expect(RIGHTS.map((rights) => isRefused(keys.all[rights]))).toEqual([
    ...['not_found', 'not_found', false],
  ]);
  expect(RIGHTS.map((rights) => isRefused(keys.shop[rights]))).toEqual([
    ...['not_found', 'not_found', 'not_found'],
  ]);
});

test('whether the computer exists makes no difference to a key without the right', async () => {
  const there = await ask(keys.all.look, 'POST', `/computers/${inShop}/click`, { x: 1, y: 1 });
  const missing = await ask(keys.all.look, 'POST', '/computers/cmp_none/click', { x: 1, y: 1 });
  expect(there.text).toBe(missing.text);
  expect(there.json.error).toContain('the right "act"; yours has "look"');
});

promise(
  4,
  'a project that a key is not for answers exactly like a missing one',
  async (report) => {
    const key = keys.shop.manage;
    const theirs = { id: inOther, project: 'other', computer: 'desk', job: 'job_a' };
    const missing = { ...theirs, id: inOther.replace(/.{4}$/, '0000'), project: 'ether' };
    const seen = ({ status, headers, text }: Answer) => {
      const { 'x-request-id': _id, date: _date, ...rest } = headers;
      return JSON.stringify({ status, rest, text })
        .replaceAll(theirs.id, missing.id)
        .replaceAll(theirs.project, missing.project);
    };
    const addressed = closed.filter((route) => /:(id|project)\b/.test(route.path));
    for (const route of addressed) {
      const headers = route.upgrade ? UPGRADE : {};
      const send = (names: Record<string, string>) =>
        app.send(route.method, fill(route.path, names), { authorization: bearer(key), headers });
      const what = `${route.method} ${route.path}`;
      expect(seen(await send(theirs)), what).toBe(seen(await send(missing)));
    }
    report(`${addressed.length} routes`);
  },
  LONG_MS,
);

test('a key for one project sees only that project in every list', async () => {
  const key = keys.shop.manage;
  const get = async (path: string) => (await ask(key, 'GET', path)).json;
  const names = (list: unknown) => (list as { name: string }[]).map(({ name }) => name);
  expect(names((await get('/projects')).projects)).toEqual(['shop']);
  const { computers } = await get('/computers');
  expect((computers as { id: string }[]).map(({ id }) => id)).toEqual([inShop]);
  expect(names((await get('/keys')).keys).every((name) => name.startsWith('shop'))).toBe(true);
  const { entries } = await get('/audit?limit=200');
  const ids = new Set((entries as { computer_id: string }[]).map((entry) => entry.computer_id));
  expect([...ids]).toEqual([inShop]);
  expect((await get(`/audit?computer=${inOther}`)).entries).toEqual([]);
  expect((await get('/me')).key).toMatchObject({ rights: 'manage', project: { name: 'shop' } });
  const missing = await ask(key, 'GET', '/projects/othr');
  expect(missing.headers['x-error-remedy']).not.toContain('other');
});

test('a key for one project cannot rename it, and learns no names of others', async () => {
  for (const name of ['other', 'unused', 'shop', 'default']) {
    const answer = await ask(keys.shop.manage, 'PATCH', '/projects/shop', { name });
    expect([answer.status, answer.json.error]).toEqual([
      403,
      'This concerns all projects of an owner, and your API key is for one of them.',
    ]);
  }
});

test('a project cannot be named like the id of another', async () => {
  const { id: other } = (await ask(app.world.key, 'GET', '/projects/other')).json;
  const { id: shop } = (await ask(app.world.key, 'GET', '/projects/shop')).json;
  const answer = await ask(app.world.key, 'PATCH', `/projects/${shop}`, { name: other });
  expect([answer.status, answer.json.error]).toEqual([
    400,
    expect.stringContaining('must not have the form of an id'),
  ]);
  const created = await ask(app.world.key, 'POST', '/projects', { name: other });
  expect(created.status).toBe(400);
  expect((await ask(app.world.key, 'GET', '/projects/shop')).json.id).toBe(shop);
});

test('an id wins over a project that an earlier version let be named like it', async () => {
  const { id: other } = (await ask(app.world.key, 'GET', '/projects/other')).json;
  const { id: shop } = (await ask(app.world.key, 'GET', '/projects/shop')).json;
  app.world.store.projects.rename(String(shop), String(other));
  try {
    const full = app.world.key;
    const copy = await ask(full, 'POST', `/computers/${inOther}/fork`, { name: 'copy' });
    expect(copy.json).toMatchObject({ project_id: other, project_name: 'other' });
    expect((await ask(full, 'GET', `/projects/${other}`)).json.id).toBe(other);
    const desk = await ask(full, 'GET', `/projects/${other}/computers/desk`);
    expect(desk.json.id).toBe(inOther);
    const key = await ask(full, 'POST', '/keys', { name: 'limited', project: other });
    expect(key.json.project).toMatchObject({ id: other });
    const secret = { value: 'only for the other' };
    expect((await ask(full, 'PUT', `/projects/${other}/secrets/a`, secret)).status).toBe(200);
    expect((await ask(full, 'GET', '/projects/other/secrets')).json.secrets).toHaveLength(1);
    expect((await ask(full, 'GET', `/projects/${shop}/secrets`)).json.secrets).toEqual([]);
    expect((await ask(keys.shop.manage, 'GET', `/projects/${other}`)).status).toBe(404);
    await ask(full, 'DELETE', `/computers/${copy.json.id}`);
  } finally {
    app.world.store.projects.rename(String(shop), 'shop');
  }
});

test('events of other projects never reach a key for one project', async () => {
  const owner = app.world.fleet.apiKeys.authenticate(keys.shop.look);
  if (owner === undefined) throw new Error('the key is unknown');
  const subscription = app.world.fleet.events.subscribe(owner, { types: undefined });
  for (const id of [inOther, inShop]) {
    await ask(app.world.key, 'PATCH', `/computers/${id}`, { auto_stop_minutes: 99 });
  }
  // Writes the entries, and with them their events.
  app.world.fleet.auditLog.listOfOwner(owner, { limit: 1, before: undefined });
  const events = subscription.read().map(({ event }) => event as { project_id?: string });
  subscription.close();
  const { project_id } = (await ask(app.world.key, 'GET', `/computers/${inShop}`)).json;
  expect(events.length).toBeGreaterThan(0);
  for (const event of events) expect(event.project_id).toBe(project_id);
});

test('a link for control needs the right to act, one for looking does not', async () => {
  const link = (key: string, body: object) => ask(key, 'POST', `/computers/${inShop}/view`, body);
  for (const body of [{ mode: 'control' }, {}]) {
    expect((await link(keys.shop.look, body)).status).toBe(403);
    expect((await link(keys.shop.act, body)).status).toBe(200);
  }
  expect((await link(keys.shop.look, { mode: 'view' })).status).toBe(200);
});

test('a key for one project can use no stream target, and learns of none', async () => {
  const target = { name: 'youtube', url: 'rtmp://live.example.com/app', stream_key: 'secret' };
  expect((await ask(app.world.key, 'POST', '/connections', target)).status).toBe(200);
  const start = (key: string, body: object) =>
    ask(key, 'POST', `/computers/${inShop}/stream/start`, body);
  const listed = await ask(keys.shop.manage, 'GET', '/connections');
  for (const rights of ['act', 'manage'] as const) {
    for (const connection_name of ['youtube', 'yutube', 'nothing-like-it']) {
      const { status, text, headers } = await start(keys.shop[rights], { connection_name });
      expect([status, text], connection_name).toEqual([403, listed.text]);
      expect(headers['x-error-code']).toBe('forbidden');
      expect(headers['x-error-remedy']).toBe(listed.headers['x-error-remedy']);
    }
  }
  const absent = await start(keys.all.act, { connection_name: 'yutube' });
  expect(absent.headers['x-error-remedy']).toContain('youtube');
  // A URL is no stream target of the owner.
  const url = 'rtmp://127.0.0.1/app/stream';
  expect((await start(keys.shop.act, { url })).status).not.toBe(403);
});

test('a route that does not say what it needs is for keys with all rights only', async () => {
  expect((await app.send('GET', '/metrics')).status).toBe(200);
  for (const key of [keys.all.look, keys.all.act, keys.shop.manage]) {
    const answer = await app.send('GET', '/metrics', { authorization: bearer(key) });
    expect(answer.status).toBe(404);
  }
});

test.each([
  ['more rights', 'all', 'act', { rights: 'manage' }, 403],
  ['all projects', 'shop', 'manage', {}, 403],
  ['all projects, by name', 'shop', 'manage', { project: null }, 403],
  ['another project', 'shop', 'manage', { project: 'other' }, 404],
  ['its own project', 'shop', 'manage', { project: 'shop', rights: 'act' }, 200],
] as const)('a key cannot create one for %s', async (_, project, rights, more, status) => {
  const answer = await ask(keys[project][rights], 'POST', '/keys', { name: 'more', ...more });
  expect(answer.status, answer.text).toBe(status);
});

test('a key that expires cannot create or extend one beyond its own end', async () => {
  const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const key = await createKey({ name: 'month', expires_at: at(30) });
  expect((await ask(key, 'POST', '/keys', { name: 'more' })).status).toBe(403);
  expect((await ask(key, 'POST', '/keys', { name: 'more', expires_at: at(31) })).status).toBe(403);
  const shorter = await ask(key, 'POST', '/keys', { name: 'week', expires_at: at(7) });
  expect(shorter.status).toBe(200);
  const path = `/keys/${shorter.json.id}`;
  expect((await ask(key, 'PATCH', path, { expires_at: null })).status).toBe(403);
  const { id } = (await ask(key, 'GET', '/me')).json.key as { id: string };
  expect((await ask(key, 'PATCH', `/keys/${id}`, { expires_at: null })).status).toBe(403);
  const forAnother = await ask(key, 'POST', '/owners/default/keys', { name: 'trick' });
  const owner = await ask(key, 'POST', '/owners', { name: 'permanent' });
  expect([owner.status, owner.json.error]).toEqual([
    403,
    expect.stringContaining('and the key of a new owner does not'),
  ]);
  expect((await ask(app.world.key, 'GET', '/owners/permanent')).status).toBe(404);
  expect(Date.parse(String(forAnother.json.expires_at))).toBeLessThanOrEqual(Date.parse(at(30)));
});

test('a key cannot change or remove one with more than its own', async () => {
  const { keys: listed } = (await ask(app.world.key, 'GET', '/keys')).json;
  const { id } = (listed as { id: string; name: string }[]).find(
    ({ name }) => name === 'manage',
  ) as { id: string };
  for (const [method, body] of [
    ['PATCH', { name: 'mine' }],
    ['DELETE', undefined],
  ] as const) {
    expect((await ask(keys.shop.manage, method, `/keys/${id}`, body)).status).toBe(404);
    expect((await ask(keys.all.act, method, `/keys/${id}`, body)).status).toBe(403);
  }
});

test("an owner's last key with all rights can be neither limited nor removed", async () => {
  const other = app.world.addOwner('alone');
  const { id } = (await ask(other, 'GET', '/me')).json.key as { id: string };
  await createKey({ name: 'limited', rights: 'act' }, other);
  const expires_at = new Date(Date.now() + 60_000).toISOString();
  for (const body of [{ rights: 'look' }, { expires_at }]) {
    expect((await ask(other, 'PATCH', `/keys/${id}`, body)).json.error).toContain('last API key');
  }
  expect((await ask(other, 'DELETE', `/keys/${id}`)).json.error).toContain('last API key');
});

test('rights are changed in place: the next request has them, and what is open ends', async () => {
  const created = await ask(app.world.key, 'POST', '/keys', { name: 'changing', rights: 'act' });
  const { id, key } = created.json as { id: string; key: string };
  const { url } = (await ask(key, 'POST', `/computers/${inShop}/view`, {})).json;
  const viewer = openViewer(String(url));
  await viewer.first;
  const socket = openProcess(key);
  await once(socket, 'open');
  const unused = String((await ask(key, 'POST', `/computers/${inShop}/view`, {})).json.url);
  const ended = Promise.all([once(socket, 'close'), viewer.closed]);
  const answer = await ask(app.world.key, 'PATCH', `/keys/${id}`, { rights: 'look' });
  expect(answer.json).toMatchObject({ id, rights: 'look', name: 'changing' });
  await ended;
  expect(await openViewer(unused).closed).toMatchObject({ code: 'unauthorized' });
  expect((await ask(key, 'POST', `/computers/${inShop}/click`, { x: 1, y: 1 })).status).toBe(403);
  expect((await ask(key, 'GET', `/computers/${inShop}`)).status).toBe(200);
});

test('a key that expires is unknown at once, and what is open ends within a second', async () => {
  const expires_at = new Date(Date.now() + 700).toISOString();
  const key = await createKey({ name: 'short', expires_at });
  const socket = openProcess(key);
  await once(socket, 'open');
  const waiting = ask(key, 'POST', `/computers/${inShop}/wait`, { duration: 60 });
  const aborted = expect(waiting).rejects.toThrow();
  await once(socket, 'close');
  const late = Date.now() - Date.parse(expires_at);
  expect(late).toBeGreaterThanOrEqual(0);
  expect(late).toBeLessThan(1000);
  await aborted;
  const answer = await ask(key, 'GET', '/me');
  expect([answer.status, answer.json.error]).toEqual([401, 'The API key is wrong.']);
});

test('an expiry that is set later also ends what is open', async () => {
  const created = await ask(app.world.key, 'POST', '/keys', { name: 'ending', rights: 'act' });
  const { id, key } = created.json as { id: string; key: string };
  const socket = openProcess(key);
  await once(socket, 'open');
  const closed = once(socket, 'close');
  const waiting = ask(key, 'POST', `/computers/${inShop}/wait`, { duration: 60 });
  const aborted = expect(waiting).rejects.toThrow();
  const expires_at = new Date(Date.now() + 700).toISOString();
  expect((await ask(app.world.key, 'PATCH', `/keys/${id}`, { expires_at })).status).toBe(200);
  await closed;
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires_at));
  await aborted;
});

test('a project takes its keys with it, and answers the key that deleted it', async () => {
  await ask(app.world.key, 'POST', '/projects', { name: 'brief' });
  const key = await createKey({ name: 'brief', project: 'brief' });
  expect((await ask(key, 'DELETE', '/projects/brief')).json).toEqual({ success: true });
  expect((await ask(key, 'GET', '/projects')).status).toBe(401);
  const { keys: left } = (await ask(app.world.key, 'GET', '/keys')).json;
  expect(JSON.stringify(left)).not.toContain('brief');
});

test('an idempotency key of another project gives nothing of it', async () => {
  const body = { name: 'same', project: 'other' };
  const headers = { 'idempotency-key': 'one' };
  const path = '/api/computers';
  expect((await app.send('POST', path, { body, headers })).status).toBe(200);
  const authorization = bearer(keys.shop.manage);
  const answer = await app.send('POST', path, { body, headers, authorization });
  expect(answer.status).toBe(400);
  expect(answer.text).not.toContain('cmp_');
});

test.each([
  [{ rights: 'all' }, 'rights must be "look", "act" or "manage"'],
  [{ project: '' }, 'project must be the name or id of a project'],
  [{ expires_at: 'tomorrow' }, 'expires_at must be a time in UTC'],
  [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at must be in the future'],
])('%j is refused', async (more, error) => {
  const answer = await ask(app.world.key, 'POST', '/keys', { name: 'bad', ...more });
  expect(answer.status).toBe(400);
  expect(answer.json.error).toContain(error);
});

test('keys survive a restart with their rights, project and expiry', async () => {
  const listed = async () => {
    const { keys: all } = (await ask(app.world.key, 'GET', '/keys')).json;
    return (all as { last_used_at: string; used: object }[]).map(
      ({ last_used_at: _, used: __, ...key }) => key,
    );
  };
  const before = await listed();
  app = await app.restart();
  expect(await listed()).toEqual(before);
  expect((await ask(keys.shop.look, 'POST', '/projects', { name: 'x' })).status).toBe(403);
  expect((await ask(keys.shop.look, 'GET', '/projects/other')).status).toBe(404);
});

function openProcess(key: string): WebSocket {
  const headers = { authorization: bearer(key) };
  const url = `ws://127.0.0.1:${app.port}/api/computers/${inShop}/process`;
  const socket = new WebSocket(url, { headers });
  socket.on('error', () => undefined);
  return socket;
}
