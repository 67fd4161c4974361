// @module-tag slow
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { closeDatabase, openDatabase } from '../../../src/fleet/store/database.js';
import { idempotencyStore } from '../../../src/fleet/store/idempotency.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

let app: TestApp;
beforeEach(async () => {
  app = await openTestApp();
});
afterEach(async () => {
  vi.useRealTimers();
  await app.close();
});

function create(
  path: string,
  key: string,
  body: unknown,
  authorization = `Bearer ${app.world.key}`,
) {
  return app.send('POST', `/api${path}`, {
    authorization,
    body,
    headers: { 'idempotency-key': key },
  });
}

const count = async (path: string, field: string) =>
  ((await app.send('GET', `/api${path}`)).json[field] as unknown[]).length;

it('answers a repeated creation with the same answer, and creates nothing', async () => {
  const first = await create('/projects', 'key-1', { name: 'p' });
  const second = await create('/projects', 'key-1', { name: 'p' });
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.json).toEqual(first.json);
  expect(first.headers['idempotent-replayed']).toBeUndefined();
  expect(second.headers['idempotent-replayed']).toBe('true');
  const desk = await create('/projects/p/computers', 'key-2', { name: 'desk' });
  // Defaults that are written out are the same request.
  const same = await create('/projects/p/computers', 'key-2', { name: 'desk', ram: 2 });
  expect(same.json).toEqual(desk.json);
  expect(await count('/projects/p/computers', 'computers')).toBe(1);
  const { json } = await app.send('GET', '/api/audit');
  expect(json.entries).toHaveLength(2);
  // Also after the computer is gone: the key stands for that creation.
  await app.send('DELETE', `/api/computers/${desk.json.id}`);
  expect((await create('/projects/p/computers', 'key-2', { name: 'desk' })).json).toEqual(
    desk.json,
  );
});

it.each([
  ['another body', '/projects', { name: 'other' }],
  ['another operation', '/computers', { name: 'p', project: 'p' }],
])('refuses a key that was used for %s', async (_, path, body) => {
  await create('/projects', 'key', { name: 'p' });
  const { status, json, headers } = await create(path, 'key', body);
  expect([status, headers['x-error-code']]).toEqual([400, 'invalid_request']);
  expect(json.error).toBe('The Idempotency-Key was used for another request.');
  expect([await count('/projects', 'projects'), await count('/computers', 'computers')]).toEqual([
    1, 0,
  ]);
});

it.each(['', 'a b', 'x'.repeat(256), 'ä'])('refuses the key %j', async (key) => {
  const { status, json } = await create('/projects', Buffer.from(key).toString('latin1'), {
    name: 'p',
  });
  expect([status, json.error]).toEqual([400, expect.stringContaining('Idempotency-Key must be')]);
  expect(await count('/projects', 'projects')).toBe(0);
});

it('keeps the keys of owners apart', async () => {
  const other = app.world.addOwner('stranger');
  const mine = await create('/projects', 'key', { name: 'p' });
  const theirs = await create('/projects', 'key', { name: 'q' }, `Bearer ${other}`);
  expect(theirs.status).toBe(200);
  expect(theirs.json.id).not.toBe(mine.json.id);
});

it('lets a repeated request wait for the one in progress', async () => {
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const body = { name: 'desk' };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => create('/projects/p/computers', 'key', body)),
  );
  expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1);
  expect(answers.map(({ json }) => json.status)).toEqual(Array(5).fill('running'));
  const others = await Promise.all(
    ['x', 'y'].map((name) => create('/projects/p/computers', 'key2', { name })),
  );
  expect(others.map(({ status }) => status).sort()).toEqual([200, 400]);
});

it('tries again what has failed', async () => {
  const body = { name: 'desk' };
  expect((await create('/projects/p/computers', 'key', body)).status).toBe(404);
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  expect((await create('/projects/p/computers', 'key', body)).status).toBe(200);
});

it('finds what was created and not answered before a crash', async () => {
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const body = { name: 'desk' };
  const before = await create('/projects/p/computers?wait=0', 'key', body);
  const { store } = app.world;
  const owner = app.world.fleet.apiKeys.authenticate(app.world.key)?.id ?? '';
  const found = store.idempotency.find(owner, 'key');
  // As if it had crashed before the answer.
  store.idempotency.add(owner, 'key', found?.request_hash ?? '', String(before.json.id));
  app = await app.restart();
  const after = await create('/projects/p/computers', 'key', body);
  expect(after.json).toMatchObject({ id: before.json.id, status: 'running' });
  // And once it is gone, the key creates another one.
  await app.send('DELETE', `/api/computers/${before.json.id}`);
  const again = app.world.store.idempotency.find(owner, 'key');
  app.world.store.idempotency.add(owner, 'key', again?.request_hash ?? '', String(before.json.id));
  const third = await create('/projects/p/computers', 'key', body);
  expect(third.json).toMatchObject({ status: 'running' });
  expect(third.json.id).not.toBe(before.json.id);
});

const DAY_MS = 24 * 60 * 60_000;

it.each([2, -2, 365])('creates nothing twice when the clock jumps by %i days', async (days) => {
  const first = await create('/projects', 'key', { name: 'p' });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * DAY_MS });
  // Drops the old keys of the owner.
  expect((await create('/projects', 'another', { name: 'q' })).status).toBe(200);
  const second = await create('/projects', 'key', { name: 'p' });
  expect([second.json, second.headers['idempotent-replayed']]).toEqual([first.json, 'true']);
});

it('forgets a key after a day in which the service runs, restarts included', () => {
  const directory = mkdtempSync(join(tmpdir(), 'vc-store-'));
  const db = openDatabase(directory);
  db.exec("INSERT INTO owners (id, name, created_at) VALUES ('usr_1', 'default', '2026-01-01')");
  let elapsed = 0;
  const open = () => idempotencyStore(db, () => elapsed);
  let store = open();
  store.add('usr_1', 'a', 'hash', 'id');
  elapsed = DAY_MS / 2;
  store.add('usr_1', 'b', 'hash', 'id');
  elapsed = 0;
  store = open();
  elapsed = DAY_MS / 2;
  expect(store.find('usr_1', 'a')).toBeDefined();
  elapsed += 1;
  expect(store.find('usr_1', 'a')).toBeUndefined();
  expect(store.find('usr_1', 'b')).toBeDefined();
  store.add('usr_1', 'c', 'hash', 'id');
  const kept = db.prepare('SELECT key FROM idempotency_keys ORDER BY key').all();
  expect(kept).toMatchObject([{ key: 'b' }, { key: 'c' }]);
  closeDatabase(db);
  rmSync(directory, { recursive: true });
});

/** Keeps so many idempotency keys. */
function keep(name: string, count: number): void {
  const { store } = app.world;
  store.transaction(() => {
    for (let n = 0; n < count; n += 1) {
      store.idempotency.add(owner().id, `${name}${n}`, 'hash', 'id');
    }
  });
}

function owner() {
  const found = app.world.fleet.apiKeys.authenticate(app.world.key);
  if (found === undefined) throw new Error('the key is unknown');
  return found;
}

const kept = (keys: readonly string[]) =>
  keys.filter((key) => app.world.store.idempotency.find(owner().id, key));

it('forgets the oldest keys beyond a thousand', () => {
  keep('k', 1_002);
  expect(kept(['k0', 'k1', 'k2', 'k1001'])).toEqual(['k2', 'k1001']);
});

it('is ignored where nothing is created by name', async () => {
  const first = await create('/keys', 'key', { name: 'agent' });
  const second = await create('/keys', 'key', { name: 'agent' });
  expect(second.json.key).not.toBe(first.json.key);
  await eventually(async () => (await count('/keys', 'keys')) === 3);
});
