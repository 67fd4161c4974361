import { afterEach, beforeEach, expect, test } from 'vitest';
import { Budgets } from '../../../src/fleet/consumption/budgets.js';
import { UsageLog } from '../../../src/fleet/consumption/usage-log.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { silentLog } from '../../support/fleet.js';

interface Day {
  readonly date: string;
  readonly key: { readonly id: string; readonly name: string | null; readonly deleted: boolean };
  readonly project: Day['key'] | null;
  readonly computers: number;
  readonly computer_seconds: number;
  readonly actions: number;
  readonly bytes: number;
}

let app: TestApp;
let id: string;
beforeEach(async () => {
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'shop' } });
  const { json } = await app.send('POST', '/api/projects/shop/computers', { body: { name: 'a' } });
  id = String(json.id);
});
afterEach(() => app.close());

async function usage(key = app.world.key): Promise<readonly Day[]> {
  const { json, status } = await app.send('GET', '/api/usage', { authorization: `Bearer ${key}` });
  expect(status, JSON.stringify(json)).toBe(200);
  return json.days as Day[];
}

test('counts actions, created computers, running time and bytes by key and project', async () => {
  const created = await app.send('POST', '/api/keys', { body: { name: 'agent', rights: 'act' } });
  const authorization = `Bearer ${created.json.key}`;
  for (let i = 0; i < 5; i += 1) {
    const body = { x: 1, y: 1 };
    await app.send('POST', `/api/computers/${id}/click`, { authorization, body });
  }
  await app.send('GET', `/api/computers/${id}`, { authorization });
  const days = await usage();
  const of = (key: string, project: string | null) =>
    days.find((day) => day.key.name === key && (day.project?.name ?? null) === project);
  expect(of('agent', 'shop')).toMatchObject({ actions: 5, computers: 0, computer_seconds: 0 });
  expect(of('agent', 'shop')?.bytes).toBeGreaterThan(6 * 200);
  expect(of('default', 'shop')).toMatchObject({ actions: 1, computers: 1 });
  // The project and the key.
  expect(of('default', null)).toMatchObject({ actions: 2 });
  expect(days[0]?.date).toBe(new Date().toISOString().slice(0, 10));
});

test('adds up what is written later, also after a restart', async () => {
  const before = (await usage()).find(({ project }) => project !== null);
  await app.send('POST', `/api/computers/${id}/click`, { body: { x: 1, y: 1 } });
  app = await app.restart();
  const after = (await usage()).find(({ project }) => project !== null);
  expect(after?.actions).toBe((before?.actions ?? 0) + 1);
});

test('keys and projects keep their last names after they were deleted', async () => {
  const created = await app.send('POST', '/api/keys', { body: { name: 'agent' } });
  const authorization = `Bearer ${created.json.key}`;
  const path = `/api/keys/${created.json.id}`;
  await app.send('PATCH', path, { body: { name: 'nightly' } });
  await app.send('POST', `/api/computers/${id}/click`, { authorization, body: { x: 1, y: 1 } });
  const of = async () => (await usage()).find(({ key }) => key.id === created.json.id);
  const named = { id: created.json.id, name: 'nightly' };
  expect((await of())?.key).toEqual({ ...named, deleted: false });
  await app.send('DELETE', path);
  expect((await of())?.key).toEqual({ ...named, deleted: true });
  await app.send('DELETE', `/api/computers/${id}`);
  await app.send('DELETE', '/api/projects/shop');
  expect((await of())?.project).toEqual({ id: expect.any(String), name: 'shop', deleted: true });
});

test('a key for one project sees only that project, and another owner nothing', async () => {
  await app.send('POST', '/api/projects', { body: { name: 'other' } });
  await app.send('POST', '/api/projects/other/computers', { body: { name: 'secret' } });
  const body = { name: 'watcher', rights: 'look', project: 'shop' };
  const key = String((await app.send('POST', '/api/keys', { body })).json.key);
  const days = await usage(key);
  expect(days.length).toBeGreaterThan(0);
  expect(new Set(days.map(({ project }) => project?.name))).toEqual(new Set(['shop']));
  expect(await usage(app.world.addOwner('alice'))).toEqual([]);
});

test('keeps 90 days, however the clock jumps', () => {
  const { store } = app.world;
  const { id: owner_id } = store.owners.listOwners()[0] ?? { id: '' };
  const amounts = { computers: 0, computer_ms: 1000, actions: 1, bytes: 1 };
  const subject = { owner_id, key_id: 'key_1', project_id: '' };
  for (let i = 0; i < 100; i += 1) {
    const day = new Date(Date.UTC(2030, 0, 1 + i)).toISOString().slice(0, 10);
    store.usage.add(day, [[subject, amounts]]);
  }
  const days = store.usage.list({ id: owner_id }, 90).map(({ day }) => day);
  expect(days).toHaveLength(90);
  expect(days.at(-1)).toBe('2030-01-11');
});

test('what cannot be written is kept and fails nothing', () => {
  const { store } = app.world;
  let isFull = true;
  const failing = {
    ...store,
    usage: {
      ...store.usage,
      add: (...given: Parameters<typeof store.usage.add>) => {
        if (isFull) throw new Error('the disk is full');
        store.usage.add(...given);
      },
    },
  };
  const log = new UsageLog(failing, silentLog, new Budgets(store));
  const { id: owner_id } = store.owners.listOwners()[0] ?? { id: '' };
  const owner = { id: owner_id, keyId: 'key_x' };
  log.bytes(owner, undefined, 7);
  expect(log.list(owner, 1).filter(({ key }) => key.id === 'key_x')).toEqual([]);
  isFull = false;
  log.bytes(owner, undefined, 7);
  const mine = log.list(owner, 1).find(({ key }) => key.id === 'key_x');
  expect(mine?.bytes).toBe(14);
  log.close();
});
