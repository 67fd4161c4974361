import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { FakeSnapshottingEngine } from '../../support/fake-engine.js';

let app: TestApp;
beforeEach(async () => {
  app = await openTestApp({ engine: new FakeSnapshottingEngine(), maxRunning: 10 });
  await app.send('POST', '/api/projects', { body: { name: 'shop' } });
});
afterEach(() => app.close());

const createKey = async (name: string) =>
  (await app.send('POST', '/api/keys', { body: { name } })).json as Record<
    'id' | 'key' | 'prefix',
    string
  >;
const create = (name: string, key: string) =>
  app.send('POST', '/api/projects/shop/computers', {
    ...{ body: { name }, authorization: `Bearer ${key}` },
  });
const creatorOf = async (id: unknown) =>
  (await app.send('GET', `/api/computers/${id}`)).json.created_by;

test('a computer says which key created it, as key lists show that key', async () => {
  const { id, key, prefix } = await createKey('agent');
  const { json } = await create('a', key);
  expect(json.created_by).toEqual({ id, name: 'agent', prefix });
  expect(JSON.stringify(json)).not.toContain(key);
  const { computers } = (await app.send('GET', '/api/computers')).json;
  expect(computers).toMatchObject([{ created_by: { id, name: 'agent' } }]);
});

test('it follows the name of the key, and keeps the last one when the key is revoked', async () => {
  const { id, key, prefix } = await createKey('agent');
  const { json } = await create('a', key);
  await app.send('PATCH', `/api/keys/${id}`, { body: { name: 'night shift' } });
  const expected = { id, name: 'night shift', prefix };
  expect(await creatorOf(json.id)).toEqual(expected);
  await app.send('DELETE', `/api/keys/${id}`);
  expect(await creatorOf(json.id)).toEqual(expected);
  app = await app.restart();
  expect(await creatorOf(json.id)).toEqual(expected);
});

test('a copy was created by the key that copied it', async () => {
  const [first, second] = [await createKey('first'), await createKey('second')];
  const { json } = await create('a', first.key);
  const copy = await app.send('POST', `/api/computers/${json.id}/fork`, {
    ...{ body: { name: 'b' }, authorization: `Bearer ${second.key}` },
  });
  expect(copy.json.created_by).toMatchObject({ id: second.id, name: 'second' });
  expect(await creatorOf(json.id)).toMatchObject({ id: first.id });
});
