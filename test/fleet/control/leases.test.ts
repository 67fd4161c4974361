// @module-tag slow
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { ControlLeases } from '../../../src/fleet/control/leases.js';
import { allRights, openTestFleet, type TestFleet, wanted } from '../../support/fleet.js';

const COMPUTERS = 500;

let test: TestFleet;
let owner: Owner;
let project: string;
beforeEach(async () => {
  test = await openTestFleet({ maxRunning: 1 });
  owner = test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  project = test.fleet.projects.create(owner, 'demo').id;
});
afterEach(() => test.close());

/** Rows of further computers like `id`, of which the owner takes control. */
function controlMany(id: string): void {
  const { store, fleet } = test;
  const record = store.computers.findById(id);
  if (record === undefined) throw new Error('the computer is gone');
  store.transaction(() => {
    for (let i = 0; i < COMPUTERS; i += 1) {
      const more = { id: `${id}${i}`, name: `desk ${i}`, status: 'stopped' } as const;
      store.computers.insert({ ...record, ...more });
    }
  });
  for (const each of store.computers.listOfProject(project)) {
    fleet.control.take(each, owner, 'if-free');
  }
}

it('a list of controlled computers reads no keys', async () => {
  const { fleet, store } = test;
  for (let i = 0; i < 150; i += 1) fleet.keys.create(owner, allRights(`key ${i}`));
  const row = fleet.projects.find(owner, project);
  const { id } = await fleet.computers.create(owner, row, wanted('desk'), 'no');
  controlMany(id);
  const reads = vi.spyOn(store.keys, 'list');
  const listed = fleet.computers.list(fleet.projects.find(owner, project));
  expect(listed).toHaveLength(COMPUTERS + 1);
  for (const { control } of listed) expect(control?.holder.key_name).toBe('default');
  const query = { status: undefined, limit: 200, cursor: undefined };
  expect(fleet.computers.page(owner, query).computers).toHaveLength(200);
  expect(reads).not.toHaveBeenCalled();
});

it('the holder has the present name of its key, and none once the key is deleted', async () => {
  const { fleet } = test;
  const created = fleet.keys.create(owner, allRights('laptop'));
  const holder = fleet.apiKeys.authenticate(created.key) ?? owner;
  const row = fleet.projects.find(owner, project);
  const { id } = await fleet.computers.create(owner, row, wanted('desk'), 'no');
  fleet.control.take(fleet.computers.find(owner, { id }), holder, 'if-free');
  const nameOf = () => fleet.control.of(id)?.holder.key_name;
  expect(nameOf()).toBe('laptop');
  fleet.keys.update(owner, created.id, { name: 'desktop' });
  expect(nameOf()).toBe('desktop');
  const ended: (string | null)[] = [];
  fleet.control.onChange(({ control }) => void ended.push(control.holder.key_name));
  fleet.keys.remove(owner, created.id);
  expect([fleet.control.of(id), ended]).toEqual([null, [null]]);
});

it('input of the holder renews the lease, and starts no timer for each event', async () => {
  const { fleet } = test;
  const row = fleet.projects.find(owner, project);
  const { id } = await fleet.computers.create(owner, row, wanted('desk'), 'no');
  const record = fleet.computers.find(owner, { id });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  try {
    const leases = new ControlLeases(fleet.apiKeys, 1_000);
    leases.take(record, owner, 'if-free');
    vi.advanceTimersByTime(900);
    // Not a spy: a later `restoreAllMocks` would put the fake timer in the place of the real one.
    const { setTimeout } = globalThis;
    let started = 0;
    globalThis.setTimeout = ((...given: Parameters<typeof setTimeout>) => {
      started += 1;
      return setTimeout(...given);
    }) as typeof setTimeout;
    for (let count = 0; count < 1_000; count += 1) expect(leases.allows(id, owner)).toBe(true);
    globalThis.setTimeout = setTimeout;
    expect(started).toBe(0);
    expect(leases.of(id)?.expires_at).toBe(new Date(Date.now() + 1_000).toISOString());
    vi.advanceTimersByTime(999);
    expect(leases.isHeldBy(id, owner)).toBe(true);
    vi.advanceTimersByTime(1);
    expect(leases.of(id)).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});
