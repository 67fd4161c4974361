import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import type { EngineImage } from '../../../src/engines/engine.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { generateApiKey } from '../../../src/fleet/computers/ids.js';
import { gate } from '../../support/fake-engine.js';
import { openTestFleet, type TestFleet, wanted } from '../../support/fleet.js';
import { promise } from '../../support/run/promise.js';

let world: TestFleet;
let administrator: Owner;
let alice: Owner & { readonly key: string };

beforeEach(async () => {
  world = await openTestFleet();
  administrator = callerOf(world.key);
  const { key } = world.fleet.owners.create(administrator, { name: 'alice', max_running: 9 });
  alice = { ...callerOf(key.key), key: key.key };
});
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
});

function callerOf(key: string): Owner {
  const owner = world.fleet.apiKeys.authenticate(key);
  if (owner === undefined) throw new Error('the key is unknown');
  return owner;
}

async function create(name: string, options: { protected?: boolean } = {}) {
  if (world.fleet.projects.list(alice).length === 0) world.fleet.projects.create(alice, 'p');
  const project = world.fleet.projects.find(alice, 'p');
  return world.fleet.computers.create(alice, project, { ...wanted(name), ...options }, 'ready');
}

const remove = (projects: 'keep' | 'delete' = 'delete') =>
  world.fleet.owners.remove(administrator, 'alice', projects);

/** Everything of the owner is gone: rows, machines, keys. */
function expectNothingLeft(): void {
  const { store, engine, fleet } = world;
  expect(fleet.owners.list().map(({ name }) => name)).toEqual(['default']);
  expect(store.projects.list(alice.id)).toEqual([]);
  expect(store.computers.count(alice.id)).toBe(0);
  expect(store.keys.list(alice.id)).toEqual([]);
  expect(fleet.apiKeys.authenticate(alice.key)).toBeUndefined();
  expect([...engine.machines.values()].filter(({ spec }) => spec.ownerId === alice.id)).toEqual([]);
}

const actionsOf = (owner: string) =>
  world.fleet.owners.audit(owner, { limit: 100 }).map(({ action, outcome }) => [action, outcome]);

it('is refused for an owner with projects, unless they are to be deleted as well', async () => {
  await create('a');
  await create('b', { protected: true });
  await expect(remove('keep')).rejects.toMatchObject({
    code: 'conflict',
    message: 'The owner "alice" has 1 project with 2 computers.',
    remedy: 'Delete them as well: vc owner rm alice --force',
  });
  expect(callerOf(alice.key).id).toBe(alice.id);
  await remove('delete');
  expectNothingLeft();
});

it('needs no confirmation for an owner without projects', async () => {
  await world.fleet.streamTargets.create(alice, {
    name: 'show',
    url: 'rtmp://8.8.8.8/live',
    stream_key: 'secret',
  });
  await remove('keep');
  expectNothingLeft();
  expect(world.store.streamTargets.list(alice.id)).toEqual([]);
  // Another owner can have the name.
  const { id } = world.fleet.owners.create(administrator, { name: 'alice', max_running: null });
  expect(id).not.toBe(alice.id);
});

it('is refused for oneself, the last administrator and unknown names', async () => {
  const { owners } = world.fleet;
  await expect(owners.remove(administrator, 'default', 'delete')).rejects.toMatchObject({
    code: 'conflict',
    message: 'The owner "default" is you: you cannot delete yourself.',
  });
  // The HTTP layer refuses this request of a member earlier.
  await expect(owners.remove(alice, 'default', 'delete')).rejects.toMatchObject({
    code: 'conflict',
    message: 'The owner "default" is the last administrator.',
  });
  await expect(owners.remove(administrator, 'nobody', 'delete')).rejects.toMatchObject({
    code: 'not_found',
  });
  const second = { name: 'second', role: 'administrator', max_running: null } as const;
  world.store.owners.createOwner({ ...second, created_by: null }, generateApiKey());
  await owners.remove(administrator, 'second', 'keep');
  expect(owners.list().map(({ name }) => name)).toEqual(['default', 'alice']);
});

it("closes everything opened with the owner's keys before it waits", async () => {
  await create('a');
  let ended = 0;
  world.fleet.apiKeys.whileValid(alice, () => {
    ended += 1;
  });
  const { passed, open } = gate();
  world.engine.gates.set('remove', passed);
  const removed = remove();
  expect(ended).toBe(1);
  expect(world.fleet.apiKeys.authenticate(alice.key)).toBeUndefined();
  expect(world.fleet.owners.get('alice')).toMatchObject({ status: 'deleting' });
  expect(() => world.fleet.owners.update('alice', { max_running: 1 })).toThrow('is being deleted');
  expect(() => world.fleet.owners.createKey(administrator, 'alice', 'k')).toThrow(
    'is being deleted',
  );
  const again = { name: 'alice', max_running: null };
  expect(() => world.fleet.owners.create(administrator, again)).toThrow('which is being deleted');
  open();
  await removed;
  expectNothingLeft();
});

it('concurrent deletions of an owner are one, and all succeed', async () => {
  const { id } = await create('a');
  await Promise.all([remove(), remove(), remove('keep')]);
  expectNothingLeft();
  expect(world.engine.calls.filter((call) => call === `remove ${id}`)).toHaveLength(1);
  const removals = world.fleet.owners.audit(alice.id, { limit: 100, computer: id });
  expect(removals.filter(({ action }) => action === 'deleteOwner')).toHaveLength(1);
  await expect(remove()).rejects.toMatchObject({ code: 'not_found' });
});

promise(16, 'an owner deleted during its requests leaves nothing behind', async () => {
  world.fleet.projects.create(alice, 'p');
  for (const call of ['create', 'start'] as const) {
    const { passed, open } = gate();
    world.engine.gates.set(call, passed);
    const created = create('a').catch((error: unknown) => error);
    await vi.waitFor(() => expect(world.engine.calls.at(-1)).toMatch(`${call} `));
    const removed = remove();
    open();
    await removed;
    expect(await created).toBeInstanceOf(ApiError);
    expectNothingLeft();
    const { id, key } = world.fleet.owners.create(administrator, { name: 'alice', max_running: 9 });
    alice = { id, keyId: key.id, key: key.key };
  }
});

it("refuses what the owner's running requests would create", async () => {
  world.fleet.projects.create(alice, 'p');
  const project = world.fleet.projects.find(alice, 'p');
  const target = world.fleet.streamTargets.create(alice, {
    name: 'show',
    url: 'rtmp://8.8.8.8/live',
    stream_key: 'secret',
  });
  // Both requests have been authenticated.
  const refused = expect(target).rejects.toMatchObject({ code: 'unauthorized' });
  const images = gate<EngineImage[]>();
  vi.spyOn(world.engine, 'images').mockReturnValue(images.passed);
  const created = world.fleet.computers.create(alice, project, wanted('late'), 'no');
  const late = expect(created).rejects.toMatchObject({ status: expect.any(Number) });
  await remove();
  images.open([{ name: 'linux', os: 'linux', bytes: 1, createdAt: new Date(0) }]);
  await Promise.all([refused, late]);
  expect(() => world.fleet.projects.create(alice, 'late')).toThrow('owner of this API key was');
  expectNothingLeft();
});

promise(11, 'an interrupted deletion is finished at the next start', async () => {
  const { id } = await create('a');
  await create('b');
  // The engine never answers, as if the process were killed.
  world.engine.gates.set('remove', new Promise(() => undefined));
  remove().catch(() => undefined);
  await vi.waitFor(() => expect(world.engine.calls.at(-1)).toMatch('remove '));
  expect(world.fleet.owners.get('alice')).toMatchObject({ status: 'deleting' });
  world = await world.restart();
  await vi.waitFor(expectNothingLeft, 10_000);
  const [last, ...others] = world.fleet.owners.audit(alice.id, { limit: 100 });
  expect(last).toMatchObject({
    action: 'deleteOwner',
    outcome: 'ok',
    key_id: administrator.keyId,
    computer_id: null,
    detail: { owner: 'alice', id: alice.id },
  });
  const removed = others.filter(({ action }) => action === 'deleteOwner');
  expect(removed).toContainEqual(
    expect.objectContaining({ computer_id: id, detail: { name: 'a' }, outcome: 'ok' }),
  );
  expect(actionsOf('default')[0]).toEqual(['deleteOwner', 'ok']);
});

it('an unavailable engine delays the deletion', async () => {
  await create('a');
  world.engine.failures.set('remove', new ApiError('engine_unavailable', 'away'));
  await expect(remove()).rejects.toMatchObject({ code: 'engine_unavailable' });
  expect(world.fleet.owners.get('alice')).toMatchObject({ status: 'deleting', computer_count: 1 });
  expect(world.fleet.apiKeys.authenticate(alice.key)).toBeUndefined();
  world.engine.failures.clear();
  // Another request continues the deletion.
  await remove('keep');
  expectNothingLeft();
});

it('engines forget the owner after its machines and before its row are removed', async () => {
  await create('a');
  const forgotten: unknown[] = [];
  Object.assign(world.engine, {
    forgetOwner: async (id: string) => {
      forgotten.push([id, world.engine.machines.size, world.fleet.owners.get(id).status]);
    },
  });
  await remove();
  expect(forgotten).toEqual([[alice.id, 0, 'deleting']]);
});

promise(28, 'an owner can be deleted while the disk is full, which frees space', async () => {
  const { id } = await create('a');
  const { owners } = world.store;
  const { writeDeletion } = owners;
  vi.spyOn(owners, 'writeDeletion').mockImplementation((...args) => {
    if (world.engine.calls.includes(`remove ${id}`)) return writeDeletion(...args);
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  });
  await remove();
  expectNothingLeft();
});

it("a deleted owner's audit entries are kept, and found by its id only", async () => {
  const { id } = await create('a');
  await remove();
  expect(actionsOf(alice.id)).toContainEqual(['deleteOwner', 'ok']);
  expect(
    world.fleet.owners.audit(alice.id, { limit: 9, computer: id }).map(({ detail }) => detail),
  ).toContainEqual({ name: 'a' });
  expect(() => world.fleet.owners.audit('alice', { limit: 1 })).toThrow('There is no owner');
  expect(() => world.fleet.owners.audit('usr_none', { limit: 1 })).toThrow('There is no owner');
});
