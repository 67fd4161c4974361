import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/app.js';

let app: TestApp;
let ownKey: string;
beforeEach(async () => {
  app = await openTestApp();
  ownKey = String(app.world.fleet.apiKeys.authenticate(app.world.key)?.keyId);
});
afterEach(() => app.close());

async function entries(query = '', key = app.world.key) {
  const { json } = await app.send('GET', `/api/audit${query}`, { authorization: `Bearer ${key}` });
  return json.entries as { id: number; action: string; computer_id: string | null }[];
}

it('logs the creation and deletion of keys, with the key of the request', async () => {
  const { json: made } = await app.send('POST', '/api/keys', { body: { name: 'agent' } });
  expect(made.created_by).toBe(ownKey);
  const { json: listed } = await app.send('GET', '/api/keys');
  expect(listed.keys).toMatchObject([{ created_by: null }, { created_by: ownKey }]);
  await app.send('DELETE', `/api/keys/${made.id}`, { authorization: `Bearer ${made.key}` });
  await app.send('DELETE', `/api/keys/${ownKey}`);
  expect(await entries()).toMatchObject([
    { action: 'deleteKey', key_id: ownKey, outcome: 'conflict', detail: { key: ownKey } },
    { action: 'deleteKey', key_id: made.id, outcome: 'ok', detail: { key: made.id } },
    { action: 'createKey', key_id: ownKey, detail: { name: 'agent', id: made.id } },
  ]);
  expect(JSON.stringify(await entries())).not.toContain(made.key);
});

it('answers the entries that match, and refuses an unknown outcome', async () => {
  for (const name of ['p', 'p']) await app.send('POST', '/api/projects', { body: { name } });
  await app.send('DELETE', '/api/keys/none');
  expect(await entries('?action=PROJECT&outcome=failed')).toMatchObject([
    { action: 'createProject', outcome: 'name_taken' },
  ]);
  expect(await entries(`?key=${ownKey}&action=key&limit=1`)).toMatchObject([
    { action: 'deleteKey' },
  ]);
  const { status, json } = await app.send('GET', '/api/audit?outcome=bad');
  expect(status).toBe(400);
  expect(json.error).toMatch(/outcome must be "ok", "failed", "cancelled" or the code of an error/);
});

it('keeps no key and no value of a secret that stands in place of a name', async () => {
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  await app.send('DELETE', `/api/keys/${app.world.key}`);
  await app.send('PUT', '/api/projects/p/secrets/hunter2%20pass!', { body: { value: 'db' } });
  await app.send('DELETE', '/api/keys/none');
  expect(await entries()).toMatchObject([
    { action: 'deleteKey', outcome: 'not_found', detail: { key: 'none' } },
    { action: 'setSecret', outcome: 'invalid_request', detail: { secret: '(13 characters)' } },
    { action: 'deleteKey', outcome: 'not_found', detail: { key: '(35 characters)' } },
    { action: 'createProject' },
  ]);
});

it("the removal of an administrator's key names the keys that it has made for other owners", async () => {
  const { json: key } = await app.send('POST', '/api/keys', { body: { name: 'second' } });
  const authorization = `Bearer ${key.key}`;
  const { json: owner } = await app.send('POST', '/api/owners', {
    ...{ authorization, body: { name: 'bob' } },
  });
  await app.send('POST', '/api/owners/bob/keys', { authorization, body: { name: 'spare' } });
  const { json } = await app.send('DELETE', `/api/keys/${key.id}`);
  const first = (owner.key as { id: string; name: string }).name;
  expect(json.made).toMatchObject([
    { name: first, owner: 'bob' },
    { name: 'spare', owner: 'bob' },
  ]);
});

it('keeps the entries of a deleted computer, for its owner only', async () => {
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name: 'desk' } });
  await app.send('POST', `/api/computers/${json.id}/stop`);
  await app.send('DELETE', `/api/computers/${json.id}`);
  await app.send('DELETE', '/api/projects/p');
  const found = await entries(`?computer=${json.id}`);
  expect(found).toMatchObject([
    { action: 'deleteComputer', computer_name: 'desk', computer_id: json.id },
    { action: 'stopComputer' },
    { action: 'createComputer', detail: { name: 'desk' } },
  ]);
  const all = await entries();
  expect(all.map(({ action }) => action)).toEqual([
    ...['deleteProject', 'deleteComputer', 'stopComputer', 'createComputer', 'createProject'],
  ]);
  expect(all[0]?.computer_id).toBeNull();
  expect(await entries(`?limit=2&before=${all[1]?.id}`)).toEqual(all.slice(2, 4));
  const otherKey = app.world.addOwner('stranger');
  expect(await entries('', otherKey)).toEqual([]);
  expect(await entries(`?computer=${json.id}`, otherKey)).toEqual([]);
});

it('says which mark of which picture was clicked', async () => {
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name: 'a' } });
  const body = { mark: 7, frame: 'frm_0123456789ab' };
  await app.send('POST', `/api/computers/${json.id}/click`, { body });
  const [entry] = await entries();
  expect(entry).toMatchObject({ action: 'click', outcome: 'stale_frame', detail: body });
});

it('says which labels and variables were given, without their values', async () => {
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name: 'a' } });
  const env = { _API_URL: 'there', OLD: null };
  const body = { labels: { team: 'quality' }, env };
  await app.send('PATCH', `/api/computers/${json.id}`, { body });
  const [entry] = await entries();
  expect(entry).toMatchObject({ outcome: 'ok', detail: { labels: 'team', env: '_API_URL OLD' } });
  expect(JSON.stringify(entry)).not.toMatch(/quality|there/);
  const many = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`V${n}`, '1']));
  await app.send('PATCH', `/api/computers/${json.id}`, { body: { env: many } });
  expect((await entries())[0]).toMatchObject({
    detail: { env: 'V0 V1 V2 V3 V4 V5 V6 V7 V8 V9 …' },
  });
});

it('keeps no name of an element that was searched on a screen', async () => {
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name: 'a' } });
  await app.send('POST', `/api/computers/${json.id}/find`, { body: { name: 'the account' } });
  const [entry] = await entries();
  expect(entry).toMatchObject({ action: 'findElements', detail: { name_length: 11 } });
  expect(JSON.stringify(entry)).not.toContain('account');
});
