import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { openTestFleet, type TestFleet, wanted } from '../../support/fleet.js';

let test: TestFleet;
let owner: Owner;
beforeEach(async () => {
  test = await openTestFleet({ maxRunning: 100 });
  const found = test.fleet.apiKeys.authenticate(test.key);
  if (found === undefined) throw new Error('the first key is not known');
  owner = found;
  test.fleet.projects.create(owner, 'shop');
});
afterEach(() => test.close());

function create(name: string) {
  const project = test.fleet.projects.find(owner, 'shop');
  return test.fleet.computers.create(owner, project, wanted(name), 'ready');
}

it('of an owner 16 operations on projects run at once', async () => {
  const { computers, projects } = test.fleet;
  await create('desk');
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  vi.spyOn(computers, 'stop').mockImplementation(async ({ id }) => {
    await held;
    return computers.view(id);
  });
  const outcomes: string[] = [];
  const stop = () =>
    projects.each(owner, 'shop', 'stop').then(
      () => outcomes.push('ok'),
      (error: unknown) => outcomes.push(error instanceof ApiError ? error.code : String(error)),
    );
  const all = Array.from({ length: 18 }, stop);
  await vi.waitFor(() => expect(outcomes).toEqual(['rate_limited', 'rate_limited']));
  release();
  await Promise.all(all);
  await stop();
  expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(17);
});

it('a new name of a project relabels its computers, its own name none', () => {
  const { computers, projects } = test.fleet;
  const renamed = vi.spyOn(computers, 'projectRenamed');
  expect(projects.update(owner, 'shop', { name: 'shop' })).toMatchObject({ name: 'shop' });
  expect(renamed).not.toHaveBeenCalled();
  const { id } = projects.update(owner, 'shop', { name: 'store' });
  expect(renamed.mock.calls).toEqual([[id]]);
});
