import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { startTimer } from '../../../src/fleet/audit/audit-log.js';
import { limitedHolder } from '../../../src/fleet/store/accounts/key-holders.js';
import { allRights, openTestFleet, type TestFleet } from '../../support/fleet.js';
import { randomNumbers } from '../../support/fuzz.js';

let test: TestFleet;
let owner: Owner;
beforeEach(async () => {
  test = await openTestFleet();
  owner = authenticate(test.key);
  test.fleet.projects.create(owner, 'shop');
});
afterEach(() => test.close());

function authenticate(key: string): Owner {
  const found = test.fleet.apiKeys.authenticate(key);
  if (found === undefined) throw new Error('the key is not known');
  return found;
}

let count = 0;

/** A key that `by` makes: for one project, unless it is for all. */
function make(by: Owner, project: string | null = 'shop'): Owner {
  count += 1;
  return authenticate(test.fleet.keys.create(by, { ...allRights(`made ${count}`), project }).key);
}

const holderOf = ({ keyId }: Owner) => test.store.keys.holderOf(keyId);

it('what keys that a limited key has made do is attributed to the first limited one', () => {
  const full = make(owner, null);
  const limited = make(full);
  const child = make(limited);
  const grandchild = make(child);
  expect([owner, full].map(holderOf)).toEqual([owner.keyId, full.keyId]);
  expect([limited, child, grandchild].map(holderOf)).toEqual(
    Array(3).fill(limitedHolder(limited.keyId)),
  );
  expect(holderOf(make(full))).not.toBe(holderOf(limited));
});

it('it is attributed to the same key when keys between them, and the maker, were removed', () => {
  const limited = make(owner);
  const child = make(limited);
  const grandchild = make(child);
  const last = make(grandchild);
  for (const key of [child, limited, grandchild]) test.fleet.keys.remove(owner, key.keyId);
  expect([limited, child, grandchild, last].map(holderOf)).toEqual(
    Array(4).fill(limitedHolder(limited.keyId)),
  );
  const full = make(owner, null);
  const other = make(full);
  test.fleet.keys.remove(owner, full.keyId);
  expect([full, other].map(holderOf)).toEqual([full.keyId, limitedHolder(other.keyId)]);
});

it('keys that were removed before the service was started have the same holder', async () => {
  const gone = [make(owner), make(owner)];
  for (const { keyId } of gone) test.fleet.keys.remove(owner, keyId);
  test = await test.restart();
  expect(new Set(gone.map(holderOf)).size).toBe(1);
  expect(gone.map(holderOf)).not.toContain(owner.keyId);
  expect(test.store.keys.holderOf('service')).toBe(limitedHolder('service'));
});

it('it is attributed to the same key after a restart and any number of removed keys', async () => {
  const limited = make(owner);
  const child = make(limited);
  const grandchild = make(child);
  for (const { keyId } of [limited, child]) test.fleet.keys.remove(owner, keyId);
  for (let count = 0; count < 50; count++) test.fleet.keys.remove(owner, make(grandchild).keyId);
  test = await test.restart();
  const holder = limitedHolder(limited.keyId);
  expect([grandchild, make(grandchild)].map(holderOf)).toEqual([holder, holder]);
});

it('a limited key, with the keys that it has made, makes at most 20', () => {
  const limited = make(owner);
  const children = Array.from({ length: 10 }, () => make(limited));
  for (const child of children) make(child);
  const error = { code: 'limit_reached' };
  for (const key of [limited, ...children]) {
    expect(() => make(key)).toThrow(expect.objectContaining(error));
  }
  test.fleet.keys.remove(owner, children[0]?.keyId ?? '');
  make(limited);
  expect(() => make(limited)).toThrow(expect.objectContaining(error));
  make(make(owner));
});

it('limited keys end no session and no link of a key with all rights', () => {
  const { sessions } = test.fleet;
  const links = Array.from({ length: 16 }, () => sessions.issueLogin(owner).text);
  const mine = Array.from({ length: 64 }, () => sessions.open({ key: test.key }).secret);
  const limited = Array.from({ length: 3 }, () => make(owner));
  const theirs: string[] = [];
  for (const key of limited) {
    for (let n = 0; n < 20; n += 1) sessions.issueLogin(key);
    for (let n = 0; n < 40; n += 1) {
      theirs.push(sessions.open({ login: sessions.issueLogin(key).text }).secret);
    }
  }
  expect(links.filter((text) => sessions.ownerOfLogin(text) === undefined)).toEqual([]);
  expect(mine.filter((secret) => sessions.find(secret) === undefined)).toEqual([]);
  const open = theirs.map((secret) => sessions.find(secret)?.owner.keyId);
  // All together 48, in equal parts.
  for (const { keyId } of limited) expect(open.filter((id) => id === keyId)).toHaveLength(16);
});

it('one limited key has at most half as many sessions as keys with all rights can have', () => {
  const { sessions } = test.fleet;
  const key = make(owner);
  const secrets = Array.from(
    { length: 40 },
    () => sessions.open({ login: sessions.issueLogin(key).text }).secret,
  );
  expect(secrets.map((secret) => sessions.find(secret) !== undefined)).toEqual([
    ...Array<boolean>(8).fill(false),
    ...Array<boolean>(32).fill(true),
  ]);
});

it('links and sessions of the keys that a limited key has made push out none of the owner', () => {
  const { sessions } = test.fleet;
  const link = sessions.issueLogin(owner);
  const mine = sessions.open({ key: test.key });
  const limited = make(owner);
  for (let i = 0; i < 20; i += 1) {
    const child = make(limited);
    for (let n = 0; n < 2; n += 1) sessions.issueLogin(child);
    for (let n = 0; n < 4; n += 1) sessions.open({ login: sessions.issueLogin(child).text });
  }
  expect(sessions.ownerOfLogin(link.text)).toEqual(owner);
  expect(sessions.find(mine.secret)).toBeDefined();
});

it('idempotency keys of the keys that a limited key has made push out none of the owner', () => {
  const limited = make(owner);
  const children = Array.from({ length: 20 }, () => make(limited));
  const { idempotency } = test.store;
  test.store.transaction(() => {
    for (let n = 0; n < 60; n += 1) {
      idempotency.add(owner.id, `mine ${n}`, 'hash', 'id', owner.keyId);
    }
    for (const { keyId } of children) {
      for (let n = 0; n < 52; n += 1) {
        idempotency.add(owner.id, `${keyId} ${n}`, 'hash', 'id', keyId);
      }
    }
  });
  expect(idempotency.find(owner.id, 'mine 0')).toBeDefined();
});

it('the refusals of the keys that a limited key has made are limited together', () => {
  const limited = make(owner);
  const children = Array.from({ length: 5 }, () => make(limited));
  for (const child of children) {
    for (let n = 0; n < 50; n += 1) {
      test.fleet.auditLog.record({
        ...{ owner: child, computerId: undefined, action: 'createKey', detail: {} },
        ...{ outcome: 'forbidden', isRefusal: true, ...startTimer()() },
      });
    }
  }
  expect(test.fleet.auditLog.listOfOwner(owner, { limit: 1_000 })).toHaveLength(100);
});

it('a removal names what the key has made through keys that are gone', () => {
  const leaked = make(owner, null);
  const between = make(leaked, null);
  const last = make(between, null);
  test.fleet.keys.remove(leaked, between.keyId);
  expect(test.fleet.keys.remove(owner, leaked.keyId).map(({ id }) => id)).toEqual([last.keyId]);
});

it('makers end, in any order of creations, changed rights and removals', () => {
  const random = randomNumbers(7);
  const keys: Owner[] = [];
  /** What each key was made by, and which are left. */
  const makers = new Map<string, string>();
  const isMadeBy = (id: string, maker: string): boolean => {
    const its = makers.get(id);
    return its !== undefined && (its === maker || isMadeBy(its, maker));
  };
  for (let step = 0; step < 400; step++) {
    const key = keys[random(keys.length)];
    const kind = random(10);
    if (key === undefined || kind < 5) {
      const by = key !== undefined && test.fleet.apiKeys.own(key).rights === 'manage' ? key : owner;
      const made = keys.length < 15 ? make(by, null) : undefined;
      if (made === undefined) continue;
      makers.set(made.keyId, by.keyId);
      keys.push(made);
    } else if (kind < 7) {
      test.fleet.keys.update(owner, key.keyId, { rights: kind < 6 ? 'look' : 'manage' });
    } else {
      const named = test.fleet.keys.remove(owner, key.keyId).map(({ id }) => id);
      keys.splice(keys.indexOf(key), 1);
      const made = keys.filter(({ keyId }) => isMadeBy(keyId, key.keyId));
      expect(named.sort()).toEqual(made.map(({ keyId }) => keyId).sort());
    }
  }
});
