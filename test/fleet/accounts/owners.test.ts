// @module-tag slow
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { generateApiKey } from '../../../src/fleet/computers/ids.js';
import { allRights, openTestFleet, type TestFleet, wanted } from '../../support/fleet.js';
import { promise } from '../../support/run/promise.js';

let world: TestFleet;
let administrator: Owner;

beforeEach(async () => {
  world = await openTestFleet();
  administrator = callerOf(world.key);
});
afterEach(() => world.close());

function callerOf(key: string): Owner {
  const owner = world.fleet.apiKeys.authenticate(key);
  if (owner === undefined) throw new Error('the key is unknown');
  return owner;
}

const create = (name: string, max_running: number | null = null) =>
  world.fleet.owners.create(administrator, { name, max_running });

it('only the owner who started the service is an administrator', () => {
  const { owners } = world.fleet;
  const { key } = create('alice');
  const alice = callerOf(key.key);
  expect(owners.isAdministrator(administrator)).toBe(true);
  expect(owners.isAdministrator(alice)).toBe(false);
  expect(owners.isAdministrator({ id: 'usr_none' })).toBe(false);
  expect(world.fleet.keys.describe(administrator)).toMatchObject({ role: 'administrator' });
  expect(world.fleet.keys.describe(alice)).toMatchObject({ name: 'alice', role: 'member' });
});

it('owners, limits and roles survive a restart', async () => {
  const { id, key } = create('alice', 5);
  world.fleet.owners.update('alice', { max_running: 7 });
  world = await world.restart();
  expect(world.fleet.owners.list()).toMatchObject([
    { name: 'default', role: 'administrator', max_running: null, created_by: null },
    { id, name: 'alice', role: 'member', max_running: 7, created_by: administrator.keyId },
  ]);
  expect(callerOf(key.key).id).toBe(id);
  expect(key.created_by).toBe(administrator.keyId);
});

it('an owner is found by name or id; the error for a missing name suggests the nearest', () => {
  const { id } = create('alice');
  const { owners } = world.fleet;
  expect(owners.get('alice')).toEqual(owners.get(id));
  expect(() => owners.get('alcie')).toThrow(
    expect.objectContaining({
      code: 'not_found',
      message: 'There is no owner "alcie".',
      remedy: 'Did you mean "alice"? See: vc owner ls',
    }),
  );
  expect(() => create('alice')).toThrow('There is an owner named "alice" already.');
});

it('an update changes only the given fields', () => {
  create('alice', 5);
  const { owners } = world.fleet;
  expect(owners.update('alice', {})).toMatchObject({ max_running: 5 });
  expect(owners.update('alice', { max_running: null })).toMatchObject({ max_running: null });
});

it('a new key for an owner is recorded with its creator', () => {
  create('alice');
  const replacement = world.fleet.owners.createKey(administrator, 'alice', 'replacement');
  expect(replacement).toMatchObject({ name: 'replacement', created_by: administrator.keyId });
  const alice = callerOf(replacement.key);
  expect(
    world.fleet.keys
      .list(alice)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['default', 'replacement']);
});

promise(
  29,
  'the numbers of owners, keys, projects and computers are limited',
  async (report) => {
    const { id, key } = create('alice', 1);
    const alice = callerOf(key.key);
    const { owners, keys, projects } = world.fleet;
    for (let i = 1; i < 200; i += 1) keys.create(alice, allRights(`key ${i}`));
    expect(() => owners.createKey(administrator, 'alice', 'one more')).toThrow(
      'The owner "alice" has 200 API keys, which is the limit.',
    );
    world.store.transaction(() => {
      for (let i = 0; i < 1000; i += 1) world.store.projects.create(id, `p${i}`);
    });
    expect(() => projects.create(alice, 'one-more')).toThrow(
      expect.objectContaining({
        code: 'limit_reached',
        message: 'You have 1000 projects, which is the limit.',
      }),
    );
    const project = projects.find(alice, 'p0');
    const rowOf = (i: number) => ({
      id: `cmp_${i}`,
      project_id: project.id,
      owner_id: id,
      name: `c${i}`,
      os: 'linux',
      ram: 2,
      cpu: 2,
      gpu: 'none',
      image: 'linux',
      engine: 'docker',
      width: 640,
      height: 480,
      auto_stop_minutes: null,
      on_idle: 'stop',
      expires_at: null,
      labels: '{}',
      protected: 0,
      status: 'stopped',
      private_key: '',
      public_key: '',
      created_at: '2026-01-02T03:04:05.000Z',
      copy_runs: 1,
    });
    world.store.transaction(() => {
      for (let i = 0; i < 1001; i += 1) world.store.computers.insert(rowOf(i) as never);
    });
    await expect(
      world.fleet.computers.create(alice, project, wanted('more'), 'no'),
    ).rejects.toMatchObject({
      code: 'limit_reached',
      message: 'You have 1001 computers, running or stopped, which is the limit.',
    });
    const member = { role: 'member', max_running: null, created_by: null } as const;
    for (let i = world.store.owners.listOwners().length; i < 1000; i += 1) {
      world.store.owners.createOwner({ ...member, name: `o${i}` }, generateApiKey());
    }
    expect(() => create('one-more')).toThrow('There are 1000 owners, which is the limit.');
    report('1,000 owners; of each 200 keys, 1,000 projects, 1,000 computers besides the running');
  },
  60_000,
);

it('each owner has its own limit of running computers; the error says who can raise it', async () => {
  const { key } = create('alice', 1);
  const alice = callerOf(key.key);
  const start = async (owner: Owner, name: string) => {
    if (world.fleet.projects.list(owner).length === 0) world.fleet.projects.create(owner, 'p');
    const project = world.fleet.projects.find(owner, 'p');
    return world.fleet.computers.create(owner, project, wanted(name), 'ready');
  };
  await start(alice, 'a');
  await expect(start(alice, 'b')).rejects.toMatchObject({
    message: 'The limit of running computers (1) is reached.',
    remedy: 'Stop or remove one, or ask an administrator: vc owner set alice --max-running 2',
  });
  world.fleet.owners.update('alice', { max_running: 2 });
  await start(alice, 'b');
  expect(world.fleet.owners.get('alice')).toMatchObject({
    running: 2,
    computer_count: 2,
    project_count: 1,
  });
  world.fleet.owners.update('alice', { max_running: null });
  await expect(start(alice, 'c')).rejects.toMatchObject({
    remedy: 'Stop or remove one, or ask an administrator: vc owner set alice --max-running 3',
  });
  for (const name of ['a', 'b']) await start(administrator, name);
  await expect(start(administrator, 'c')).rejects.toMatchObject({
    remedy: 'Stop or remove one, or raise the limit: vc owner set default --max-running 3',
  });
});
