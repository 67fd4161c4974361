import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';

let app: TestApp;
let id: string;
beforeEach(async () => {
  app = await openTestApp({ maxRunning: 10 });
  for (const name of ['shop', 'other']) await app.send('POST', '/api/projects', { body: { name } });
  const { json } = await app.send('POST', '/api/projects/shop/computers', { body: { name: 'a' } });
  id = String(json.id);
});
afterEach(() => app.close());

const rename = (project: string, name: unknown, key = app.world.key) =>
  app.send('PATCH', `/api/projects/${project}`, {
    ...{ body: { name }, authorization: `Bearer ${key}` },
  });
const get = async (path: string, key = app.world.key) =>
  (await app.send('GET', `/api${path}`, { authorization: `Bearer ${key}` })).json;
const createKey = async (body: object) =>
  (await app.send('POST', '/api/keys', { body })).json as { id: string; key: string };

test('a renamed project keeps its id and computers, and frees its old name', async () => {
  const before = await get('/projects/shop');
  const answer = await rename('shop', 'store');
  expect(answer).toMatchObject({ status: 200, json: { id: before.id, name: 'store' } });
  expect(answer.json).not.toHaveProperty('computers');
  expect(await get('/projects/store')).toMatchObject({
    ...{ id: before.id, computer_count: 1, computers: [{ id, project_name: 'store' }] },
  });
  expect(await get(`/computers/${id}`)).toMatchObject({ project_name: 'store', status: 'running' });
  const click = { body: { x: 1, y: 1 } };
  const at = (project: string) => `/api/projects/${project}/computers/a/click`;
  expect((await app.send('POST', at('store'), click)).status).toBe(200);
  expect((await app.send('POST', at('shop'), click)).status).toBe(404);
  const created = await app.send('POST', '/api/projects', { body: { name: 'shop' } });
  expect(created).toMatchObject({ status: 200, json: { name: 'shop', computer_count: 0 } });
  expect(created.json.id).not.toBe(before.id);
});

test('after a restart the new name is there', async () => {
  await rename('shop', 'store');
  app = await app.restart();
  expect(await get(`/computers/${id}`)).toMatchObject({ project_name: 'store' });
});

test('a name that is taken or cannot be one is refused, and changes nothing', async () => {
  expect(await rename('shop', 'other')).toMatchObject({
    ...{ status: 400, json: { error: 'You have a project named "other" already.' } },
    headers: { 'x-error-code': 'name_taken' },
  });
  for (const name of ['', 'a/b', 'by-name', `prj_${'0'.repeat(20)}`, 'x'.repeat(65), 7, null]) {
    const { status, headers } = await rename('shop', name);
    expect([status, headers['x-error-code']], String(name)).toEqual([400, 'invalid_request']);
  }
  expect((await rename('nothing', 'store')).status).toBe(404);
  expect(await get('/projects/shop')).toMatchObject({ name: 'shop' });
});

test('its own name, and no name, change nothing; by its id it can be repeated', async () => {
  const { id: project, updated_at } = await get('/projects/shop');
  expect((await rename('shop', 'shop')).json).toMatchObject({ name: 'shop', updated_at });
  const empty = await app.send('PATCH', '/api/projects/shop', { body: {} });
  expect(empty.json).toMatchObject({ name: 'shop', updated_at });
  for (let i = 0; i < 2; i += 1) {
    expect((await rename(String(project), 'store')).json).toMatchObject({ name: 'store' });
  }
});

test('another owner has its own names, and cannot rename this project', async () => {
  const stranger = app.world.addOwner('stranger');
  expect((await rename('shop', 'store', stranger)).status).toBe(404);
  const authorization = `Bearer ${stranger}`;
  await app.send('POST', '/api/projects', { authorization, body: { name: 'store' } });
  expect((await rename('shop', 'store')).status).toBe(200);
});

test('a key for the project remains for it, and cannot rename it', async () => {
  const look = await createKey({ name: 'look', rights: 'look', project: 'shop' });
  const manage = await createKey({ name: 'manage', project: 'shop' });
  expect((await rename('shop', 'store', look.key)).status).toBe(403);
  for (const project of ['shop', 'other']) {
    expect((await rename(project, 'store', manage.key)).status).toBe(403);
  }
  expect((await rename('shop', 'store')).status).toBe(200);
  expect(await get('/projects', look.key)).toMatchObject({ projects: [{ name: 'store' }] });
  expect(await get('/me', look.key)).toMatchObject({ key: { project: { name: 'store' } } });
  expect(await get('/keys')).toMatchObject({
    keys: [{ project: null }, { project: { name: 'store' } }, { project: { name: 'store' } }],
  });
});

test('a project that is being deleted keeps its name', async () => {
  const { store } = app.world;
  store.projects.markDeleting(String((await get('/projects/shop')).id));
  expect(await rename('shop', 'store')).toMatchObject({
    ...{ status: 400, headers: { 'x-error-code': 'conflict' } },
    json: { error: 'The project "shop" is being deleted.' },
  });
});

test('a repeated creation gets its first answer, whatever the project is called now', async () => {
  const headers = { 'idempotency-key': 'once' };
  const create = () => app.send('POST', '/api/projects', { body: { name: 'new' }, headers });
  const first = await create();
  await rename('new', 'newer');
  expect((await create()).text).toBe(first.text);
  expect((await get('/projects/newer')).id).toBe(first.json.id);
});

test('the audit log has both names', async () => {
  const { id: project } = await get('/projects/shop');
  await rename('shop', 'store');
  await rename('other', 'store');
  const { entries } = await get('/audit?limit=2');
  expect(entries).toMatchObject([
    { action: 'updateProject', detail: { project: 'other', name: 'store' }, outcome: 'name_taken' },
    {
      ...{ action: 'updateProject', outcome: 'ok', computer_id: null, key_name: 'default' },
      detail: { project: 'shop', name: 'store', id: project },
    },
  ]);
});

test('usage of days before a rename is shown with the new name', async () => {
  const names = async () => {
    const { days } = (await get('/usage')) as { days: { project: { name: string } | null }[] };
    return new Set(days.flatMap((day) => day.project?.name ?? []));
  };
  expect(await names()).toEqual(new Set(['shop']));
  await rename('shop', 'store');
  expect(await names()).toEqual(new Set(['store']));
});
