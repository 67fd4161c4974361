import { expect, test } from 'vitest';
import { Sessions } from '../../../src/fleet/accounts/sessions.js';
import { noBudget, openTestFleet } from '../../support/fleet.js';

test('sessions outlive a restart of the service, except those that had ended', async () => {
  const before = await openTestFleet();
  const { apiKeys, keys, sessions } = before.fleet;
  const first = apiKeys.authenticate(before.key);
  if (first === undefined) throw new Error('the key is unknown');
  const input = { rights: 'act', project: null, expires_at: null, ...noBudget } as const;
  const revoked = keys.create(first, { ...input, name: 'revoked' });
  const other = keys.create(first, { ...input, name: 'other' });
  const ended = sessions.open({ key: before.key });
  const ofRevoked = sessions.open({ key: revoked.key });
  const open = sessions.open({ key: other.key });
  const late = sessions.open({ key: other.key });
  sessions.end(ended.session.id);
  keys.remove(first, revoked.id);
  before.store.sessions.remove(late.session.id);
  const past = { created_at: '2026-01-01T00:00:00.000Z', expires_at: '2026-01-01T08:00:00.000Z' };
  const { id } = late.session;
  before.store.sessions.insert({ id, hash: 'ab'.repeat(32), key_id: other.id, ...past });

  const after = await before.restart();
  const { fleet, store } = after;
  const found = fleet.sessions.find(open.secret);
  expect(found).toMatchObject({ id: open.session.id, expiresAt: expect.any(Date) });
  expect(found?.owner).toEqual({ ...open.session.owner, projectId: undefined });
  const drift = (found?.expiresAt.getTime() ?? 0) - open.session.expiresAt.getTime();
  expect(drift).toBeLessThanOrEqual(1);
  for (const { secret } of [ended, ofRevoked, late]) {
    expect(fleet.sessions.find(secret)).toBeUndefined();
  }
  expect(store.sessions.list().map((row) => row.id)).toEqual([open.session.id]);
  let isEnded = false;
  fleet.apiKeys.whileValid(open.session.owner, () => {
    isEnded = true;
  });
  fleet.keys.remove(first, other.id);
  expect([isEnded, fleet.sessions.find(open.secret)]).toEqual([true, undefined]);
  expect(store.sessions.list()).toEqual([]);
  await after.close();
});

test('an owner has 64 sessions, and the oldest ends with the next one', async () => {
  const world = await openTestFleet();
  const { sessions } = world.fleet;
  const opened = Array.from({ length: 66 }, () => sessions.open({ key: world.key }));
  const found = opened.map(({ secret }) => sessions.find(secret) !== undefined);
  expect(found.indexOf(true)).toBe(2);
  expect(found.filter(Boolean)).toHaveLength(64);
  await world.close();
});

test('a login with the same key continues the session, and gives it its full time again', async () => {
  const world = await openTestFleet();
  let now = 0;
  const sessions = new Sessions(world.store, world.fleet.apiKeys, () => now);
  const before = sessions.open({ key: world.key });
  now = 7 * 60 * 60_000;
  const after = sessions.open({ key: world.key, present: before.secret });
  expect([after.secret, after.session.id]).toEqual([before.secret, before.session.id]);
  expect(world.store.sessions.list()).toHaveLength(1);
  now = 14 * 60 * 60_000;
  expect(sessions.find(before.secret)).toBe(after.session);
  now = 15 * 60 * 60_000;
  expect(sessions.find(before.secret)).toBeUndefined();
  await world.close();
});

test('the database has no secret of a session', async () => {
  const world = await openTestFleet();
  const { secret } = world.fleet.sessions.open({ key: world.key });
  expect(JSON.stringify(world.store.sessions.list())).not.toContain(secret.slice(3));
  await world.close();
});
