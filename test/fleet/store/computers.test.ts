import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { allRights, noBudget, openTestFleet, type TestFleet, wanted } from '../../support/fleet.js';

let test: TestFleet;
let owner: Owner;
beforeEach(async () => {
  test = await openTestFleet({ maxRunning: 9 });
  owner = test.fleet.apiKeys.authenticate(test.key) as Owner;
  for (const name of ['shop', 'other']) await create(owner, name);
});
afterEach(() => test.close());

async function create(by: Owner, project: string): Promise<void> {
  test.fleet.projects.create(by, project);
  const found = test.fleet.projects.find(by, project);
  await test.fleet.computers.create(by, found, wanted(project), 'ready');
}

/** The rows by their names; those that were not read again are the same objects. */
const rows = () => new Map(test.store.computers.listAll().map((row) => [row.name, row]));

it('a transaction that fails before it has written reads no computer again', () => {
  const before = rows();
  expect(() => test.fleet.projects.update(owner, 'none', { name: 'new' })).toThrow('none');
  for (const [name, row] of rows()) expect(row, name).toBe(before.get(name));
});

it('a transaction that fails after it has written leaves no row of before', () => {
  const [row] = test.store.computers.listAll();
  if (row === undefined) throw new Error('there is no computer');
  expect(() =>
    test.store.transaction(() => {
      test.store.computers.update({ ...row, name: 'new' });
      expect(test.store.computers.findById(row.id)?.name).toBe('new');
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(test.store.computers.findById(row.id)?.name).toBe(row.name);
});

it('a new name of a project or key is read for its computers only', async () => {
  const key = test.fleet.keys.create(owner, allRights('agent'));
  await create(test.fleet.apiKeys.authenticate(key.key) as Owner, 'third');
  let before = rows();
  test.store.projects.rename(test.fleet.projects.find(owner, 'shop').id, 'store');
  expect(rows().get('shop')?.project_name).toBe('store');
  for (const name of ['other', 'third']) expect(rows().get(name), name).toBe(before.get(name));
  before = rows();
  const changed = { name: 'nightly', rights: 'manage', expires_at: null, ...noBudget } as const;
  test.store.keys.update(key.id, changed);
  expect(rows().get('third')?.created_by_name).toBe('nightly');
  for (const name of ['other', 'shop']) expect(rows().get(name), name).toBe(before.get(name));
});
