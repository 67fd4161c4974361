import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';

interface Made {
  readonly id: string;
  readonly key: string;
}

let app: TestApp;
let agent: Made;

beforeAll(async () => {
  app = await openTestApp();
  for (const name of ['p', 'other']) await app.send('POST', '/api/projects', { body: { name } });
  agent = await create({ name: 'agent', project: 'p' });
  await create({ name: 'elsewhere', project: 'other' });
});
afterAll(() => app.close());

const ask = (method: string, path: string, body?: object, key = app.world.key) =>
  app.send(method, `/api${path}`, { authorization: `Bearer ${key}`, ...(body && { body }) });

async function create(body: object, key?: string): Promise<Made> {
  const { status, text, json } = await ask('POST', '/keys', body, key);
  expect(status, text).toBe(200);
  return json as unknown as Made;
}

test('a limited key cannot exchange its name with a decoy', async () => {
  const rename = await ask('PATCH', `/keys/${agent.id}`, { name: 'ci' }, agent.key);
  expect([rename.status, rename.json.error]).toEqual([
    403,
    'Only an API key with all rights can rename keys.',
  ]);
  const same = await ask('PATCH', `/keys/${agent.id}`, { name: 'agent' }, agent.key);
  expect(same.status).toBe(200);
  const decoy = { name: 'agent', rights: 'look', project: 'p' };
  const refused = await ask('POST', '/keys', decoy, agent.key);
  expect(refused.headers['x-error-code']).toBe('name_taken');
  // It learns no names of keys that it does not see.
  await create({ ...decoy, name: 'elsewhere' }, agent.key);
});

test('a limited key cannot free its name by removing itself or its maker', async () => {
  const first = await create({ name: 'first', project: 'p' });
  const second = await create({ name: 'second', project: 'p' }, first.key);
  for (const { key } of [first, second]) {
    const answer = await ask('DELETE', `/keys/${first.id}`, undefined, key);
    expect(answer.headers['x-error-code']).toBe('conflict');
    expect(answer.headers['x-error-remedy']).toContain(second.id);
  }
  expect((await ask('DELETE', `/keys/${second.id}`, undefined, first.key)).status).toBe(200);
  expect((await ask('DELETE', `/keys/${first.id}`, undefined, first.key)).status).toBe(200);
});

test('a deletion answers the keys that were made with the key and still work', async () => {
  const maker = await create({ name: 'maker', project: 'p' });
  const spare = await create({ name: 'spare', project: 'p' }, maker.key);
  const deep = await create({ name: 'deep', project: 'p' }, spare.key);
  const expires_at = new Date(Date.now() + 60_000).toISOString();
  const short = await create({ name: 'short', project: 'p', expires_at }, maker.key);
  // What a removed key has made still belongs to its maker.
  const { json } = await ask('DELETE', `/keys/${spare.id}`);
  expect(json).toEqual({ success: true, made: [{ id: deep.id, name: 'deep' }] });
  const removed = await ask('DELETE', `/keys/${maker.id}`);
  const made = removed.json.made as { id: string }[];
  expect(made.map(({ id }) => id).sort()).toEqual([deep.id, short.id].sort());
  expect((await ask('GET', '/me', undefined, deep.key)).status).toBe(200);
  expect((await ask('DELETE', `/keys/${deep.id}`)).json).toEqual({ success: true, made: [] });
});

test('a key with all rights renames keys, but not to the name of another', async () => {
  const { id } = await create({ name: 'one' });
  await create({ name: 'two' });
  // For the owner's own keys a name may be used again.
  await create({ name: 'two' });
  const taken = await ask('PATCH', `/keys/${id}`, { name: 'two' });
  expect(taken.json.error).toBe('There is an API key named "two" already.');
  expect((await ask('PATCH', `/keys/${id}`, { name: 'three' })).json.name).toBe('three');
});

test('a key is not named like the id of a key', async () => {
  const name = agent.id;
  for (const [method, path] of [
    ['POST', '/keys'],
    ['PATCH', `/keys/${agent.id}`],
  ] as const) {
    const refused = await ask(method, path, { name });
    expect([refused.status, refused.headers['x-error-code']]).toEqual([400, 'invalid_request']);
  }
  expect((await ask('POST', '/keys', { name: 'key_' })).status).toBe(200);
});
