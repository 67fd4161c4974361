import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { FakeSnapshottingEngine } from '../../support/fake-engine.js';

let app: TestApp;
const DESK = '/api/projects/demo/computers/desk';

beforeEach(async () => {
  app = await openTestApp({ engine: new FakeSnapshottingEngine(), maxRunning: 9 });
  await app.send('POST', '/api/projects', { body: { name: 'demo' } });
  await app.send('POST', '/api/projects/demo/computers', { body: { name: 'desk' } });
});
afterEach(() => app.close());

const post = (path: string, body: unknown = {}, key?: string) =>
  app.send('POST', path, { body, headers: key === undefined ? {} : { 'idempotency-key': key } });

test('snapshots, resets, forks and images work over HTTP', async () => {
  expect((await post(`${DESK}/snapshots`, { name: 'clean' })).json).toMatchObject({
    ...{ name: 'clean', parent: null, memory: false, current: true, bytes: 100 },
  });
  expect((await app.send('GET', `${DESK}/snapshots`)).json.snapshots).toHaveLength(1);
  expect((await post(`${DESK}/reset`, { snapshot: 'clean' })).json).toMatchObject({
    ...{ name: 'desk', status: 'running' },
  });
  const single = await post(`${DESK}/fork`, { name: 'one' });
  expect(single.json).toMatchObject({ name: 'one', url: expect.stringMatching(/^http:/) });
  const { json } = await post(`${DESK}/fork`, { names: ['a', 'b'], snapshot: 'clean' });
  expect(json.computers).toMatchObject([
    { name: 'a', status: 'running', url: expect.stringMatching(/^http:/) },
    { name: 'b', status: 'running' },
  ]);
  const saved = await post('/api/images', { name: 'box', computer: 'demo/desk' });
  expect(saved.json).toMatchObject({ name: 'box', kind: 'saved', used_by: 0 });
  const made = { name: 'x', image: 'box' };
  expect((await post('/api/projects/demo/computers', made)).json).toMatchObject({ image: 'box' });
  expect((await app.send('DELETE', '/api/images/box')).status).toBe(400);
  expect((await app.send('GET', '/api/images/box')).json).toMatchObject({ used_by: 1 });
  expect((await app.send('GET', '/api/usage')).json).toMatchObject({
    limits: { max_storage: 50 },
    now: { storage_bytes: 300, build_cache_bytes: 0 },
  });
  expect((await app.send('DELETE', '/api/build-cache')).json).toEqual({ bytes: 0 });
  expect((await app.send('DELETE', `${DESK}/snapshots/clean`)).json).toEqual({ success: true });
});

test('a creation with the same key is carried out once', async () => {
  const names = ['a', 'b'];
  const first = await post(`${DESK}/fork`, { names }, 'k1');
  expect((await post(`${DESK}/fork`, { names }, 'k1')).json).toEqual(first.json);
  const snapshot = await post(`${DESK}/snapshots`, {}, 'k2');
  expect((await post(`${DESK}/snapshots`, {}, 'k2')).json).toEqual(snapshot.json);
  const image = { name: 'box', computer: 'demo/desk' };
  const saved = await post('/api/images', image, 'k3');
  expect((await post('/api/images', image, 'k3')).json).toEqual(saved.json);
  expect((await app.send('GET', `${DESK}/snapshots`)).json.snapshots).toHaveLength(1);
});

test('are in the audit log, with an entry for each copy', async () => {
  await post(`${DESK}/snapshots`, { name: 'clean' });
  await post(`${DESK}/fork`, { names: ['a', 'b'] });
  await post(`${DESK}/reset`, { snapshot: 'clean' });
  await app.send('DELETE', `${DESK}/snapshots/clean`);
  await post('/api/images', { name: 'box', computer: 'demo/desk' });
  const { entries } = (await app.send('GET', '/api/audit')).json as {
    entries: { action: string; detail: Record<string, unknown>; computer_id: string | null }[];
  };
  expect(entries.slice(0, 7).map(({ action, detail }) => [action, detail])).toEqual([
    ['saveImage', { name: 'box', computer: 'demo/desk' }],
    ['deleteSnapshot', { snapshot: 'clean' }],
    ['resetComputer', { snapshot: 'clean' }],
    ['forkComputer', expect.anything()],
    ['forkComputer', expect.anything()],
    ['forkComputer', expect.anything()],
    ['createSnapshot', { name: 'clean' }],
  ]);
  expect(new Set(entries.slice(3, 6).map((entry) => entry.computer_id)).size).toBe(3);
});

test.each([
  [`${DESK}/snapshots`, { name: '../x' }, 'name must be the name of a snapshot'],
  [`${DESK}/snapshots`, { memory: 'yes' }, 'memory must be true or false'],
  [`${DESK}/fork`, {}, 'name is missing'],
  [`${DESK}/fork`, { name: 'a', names: ['b'] }, 'names must not be given together with "name"'],
  [`${DESK}/fork`, { names: ['a', 'a'] }, 'names must not have a name twice'],
  [`${DESK}/fork`, { names: Array(17).fill('a') }, 'names must have at most 16 names'],
  ['/api/images', { name: 'Box', computer: 'demo/desk' }, 'name must be the name of an image'],
  ['/api/images', { name: 'box', computer: '' }, 'computer must be the id of a computer'],
  ['/api/images', { name: 'linux', computer: 'demo/desk' }, 'the name of a recipe'],
])('%s refuses %j', async (path, body, message) => {
  const answer = await post(path, body);
  expect(answer.status).toBe(400);
  expect(answer.json.error).toContain(message);
});

test('a reset needs the right to use computers, a snapshot the right to change them', async () => {
  const key = async (rights: string) =>
    `Bearer ${(await post('/api/keys', { name: rights, rights })).json.key}`;
  const [act, look] = [await key('act'), await key('look')];
  const as = async (authorization: string, path: string) =>
    (await app.send('POST', path, { authorization, body: {} })).status;
  expect(await as(act, `${DESK}/reset`)).toBe(200);
  expect(await as(act, `${DESK}/snapshots`)).toBe(403);
  expect(await as(look, `${DESK}/reset`)).toBe(403);
});
