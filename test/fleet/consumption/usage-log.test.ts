// @module-tag slow
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { allRights, openTestFleet, type TestFleet } from '../../support/fleet.js';

let test: TestFleet;
let owner: Owner;
beforeEach(async () => {
  test = await openTestFleet();
  owner = ownerOf(test.key);
});
afterEach(() => test.close());

function ownerOf(key: string): Owner {
  const found = test.fleet.apiKeys.authenticate(key);
  if (found === undefined) throw new Error('the key is unknown');
  return found;
}

it('keys that are created, used and deleted in turn leave a bounded number of rows', () => {
  const { fleet } = test;
  const cycles = 2_500;
  for (let i = 0; i < cycles; i += 1) {
    const { id, key } = fleet.keys.create(owner, allRights(`key ${i}`));
    fleet.usageLog.bytes(ownerOf(key), undefined, 10);
    fleet.keys.remove(owner, id);
    if (i === cycles / 2) fleet.usageLog.list(owner, 1);
  }
  const days = fleet.usageLog.list(owner, 90);
  // Two rows more if midnight is in between.
  expect(days.length).toBeLessThanOrEqual(2_002);
  expect(days.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(cycles * 10);
  expect(days.find(({ key }) => key.id === 'others')).toMatchObject({
    key: { id: 'others', name: 'others', deleted: false },
    project: null,
  });
});

it('requests for the usage count the running computers at most once a second', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const { fleet, store } = test;
    vi.advanceTimersByTime(2_000);
    const listAll = vi.spyOn(store.computers, 'listAll');
    for (let i = 1; i <= 20; i += 1) {
      fleet.usageLog.bytes(owner, undefined, 1);
      expect(fleet.usageLog.list(owner, 1)).toMatchObject([{ bytes: i }]);
    }
    expect(listAll).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1_000);
    fleet.usageLog.list(owner, 1);
    expect(listAll).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});

it('a request for the usage writes nothing of other owners', () => {
  const { fleet, store } = test;
  const other = ownerOf(test.addOwner('other'));
  fleet.usageLog.list(owner, 1);
  fleet.usageLog.bytes(other, undefined, 7);
  fleet.usageLog.bytes(owner, undefined, 1);
  fleet.usageLog.list(owner, 1);
  expect(store.usage.list({ id: other.id }, 1)).toEqual([]);
  expect(fleet.usageLog.list(other, 1)).toMatchObject([{ bytes: 7 }]);
});

it('one owner with many keys does not hide the usage of another', () => {
  const { fleet } = test;
  const other = ownerOf(test.addOwner('other'));
  for (let i = 0; i < 25_000; i += 1) {
    fleet.usageLog.bytes({ id: owner.id, keyId: `key_${i}` }, undefined, 1);
  }
  fleet.usageLog.bytes(other, undefined, 7);
  expect(fleet.usageLog.list(other, 1)).toMatchObject([{ key: { id: other.keyId }, bytes: 7 }]);
  const days = fleet.usageLog.list(owner, 1);
  expect(days.length).toBeLessThanOrEqual(1_001);
  expect(days.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(25_000);
});
