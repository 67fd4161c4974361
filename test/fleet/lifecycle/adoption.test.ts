import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CreateComputer } from '../../../src/contract/resources.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { restoreState } from '../../../src/fleet/store/backup/restore.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';
import { FakeLabellingEngine } from '../../support/memory-engine/labelling-engine.js';

let engine: FakeLabellingEngine;
let open: TestFleet;
let parent: string;
beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'vc-adoption-'));
  engine = new FakeLabellingEngine();
  open = await openTestFleet({ engine, maxRunning: 9 });
  open.fleet.projects.create(owner(), 'demo');
});
afterEach(async () => {
  await open.close();
  rmSync(parent, { recursive: true });
});

function owner(key = open.key): Owner {
  const found = open.fleet.apiKeys.authenticate(key);
  if (found === undefined) throw new Error('the key is not known');
  return found;
}

const create = (name: string, project = 'demo', by = owner(), asked: object = {}) => {
  const input = CreateComputer.parse({ name, ...asked });
  return open.fleet.computers.create(by, open.fleet.projects.find(by, project), input, 'ready');
};
const names = (project = 'demo') =>
  open.fleet.projects.get(owner(), project).computers.map(({ name }) => name);

const backUp = () => open.store.backup(join(parent, 'backup'), '1.2.3');

/** The host is lost: the state is restored from the backup, and a service starts there. */
async function restore(): Promise<void> {
  const { key, directory } = open;
  await open.fleet.close();
  rmSync(directory, { recursive: true });
  restoreState(directory, join(parent, 'backup'));
  open = await openTestFleet({ engine, directory, key, maxRunning: 9 });
}

/** Waits until the engine was listed twice: what is not done then, is not done at all. */
async function reconciled(): Promise<void> {
  const list = vi.spyOn(engine, 'list');
  open = await open.restart();
  await vi.waitFor(() => expect(list).toHaveBeenCalled());
  await vi.waitFor(() => expect(list.mock.settledResults[0]?.type).toBe('fulfilled'));
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  list.mockRestore();
}

test('computers that are newer than a restored backup are there again', async () => {
  const old = await create('old');
  backUp();
  const own = { labels: { team: 'qa' }, expires_in: 3600, on_idle: 'delete' };
  const settings = { auto_stop_minutes: 30, protected: true, ...own } as const;
  const first = await create('desk', 'demo', owner(), { ...settings, cpu: 4, ram: 8 });
  open.fleet.projects.create(owner(), 'later');
  const second = await create('other', 'later');
  open.fleet.computers.update(open.fleet.computers.find(owner(), second), { name: 'né 名' });
  open.fleet.projects.update(owner(), 'later', { name: 'renamed' });
  await vi.waitFor(() =>
    expect(engine.labels.get(second.id)).toMatchObject({
      name: 'né 名',
      project_name: 'renamed',
    }),
  );
  await open.fleet.computers.stop(open.fleet.computers.find(owner(), second));
  const keys = new Map(engine.keys);

  await restore();
  await vi.waitFor(() => expect(names()).toEqual(['old', 'desk']));
  await vi.waitFor(() => expect(names('renamed')).toEqual(['né 名']));
  await vi.waitFor(() => expect(open.fleet.computers.view(first.id).status).toBe('running'));
  const { started_at: _, ...expected } = first;
  expect(open.fleet.computers.view(first.id)).toMatchObject(expected);
  expect(open.fleet.computers.view(second.id)).toMatchObject({
    status: 'stopped',
    project_id: second.project_id,
    created_at: second.created_at,
    project_name: 'renamed',
    created_by: second.created_by,
  });
  expect(open.fleet.computers.usage(owner().id).running).toBe(2);
  expect(engine.keys.get(old.id)).toBe(keys.get(old.id));
  for (const { id } of [first, second]) {
    expect(engine.keys.get(id)).not.toBe(keys.get(id));
    expect(engine.keys.get(id)).toBe(open.store.computers.findById(id)?.public_key);
  }
  expect(open.fleet.unadopted).toEqual([]);
  // Its disk is lost with its machine, as that of any other computer.
  engine.machines.delete(second.id);
  await reconciled();
  await vi.waitFor(() => expect(open.fleet.computers.view(second.id).status).toBe('error'));
});

test('names that are taken get a number', async () => {
  backUp();
  const long = 'x'.repeat(128);
  const lost = [await create('desk'), await create('desk-2'), await create(long)];
  open.fleet.projects.create(owner(), 'later');
  const other = await create('desk', 'later');
  engine.failures.set('list', new Error('away'));
  await restore();
  await create('desk');
  await create(long);
  open.fleet.projects.create(owner(), 'later');
  engine.failures.clear();
  await reconciled();
  await vi.waitFor(() => {
    const id = (name: string) => open.fleet.computers.find(owner(), { project: 'demo', name }).id;
    expect(id('desk-2')).toBe(lost[0]?.id);
    expect(id('desk-2-2')).toBe(lost[1]?.id);
    expect(id(`${'x'.repeat(126)}-2`)).toBe(lost[2]?.id);
  });
  await vi.waitFor(() => expect(names('later-2')).toEqual(['desk']));
  expect(open.fleet.projects.get(owner(), 'later-2').id).toBe(other.project_id);
});

test('machines of unknown owners are left alone and reported, also for ever', async () => {
  backUp();
  const key = open.addOwner('guest');
  open.fleet.projects.create(owner(key), 'mine');
  const { id } = await create('desk', 'mine', owner(key));
  await restore();
  await vi.waitFor(() => expect(open.fleet.unadopted).toHaveLength(1));
  await reconciled();
  await vi.waitFor(() => expect(open.fleet.unadopted).toHaveLength(1));
  expect(open.fleet.unadopted?.[0]).toMatchObject({ engine: 'docker', id });
  expect(open.fleet.unadopted?.[0]?.reason).toMatch(/^its owner usr_\w+ does not exist$/);
  expect(engine.calls.filter((call) => call.startsWith('remove'))).toEqual([]);
});

test('a machine with a label that this service did not write is left alone', async () => {
  const { id } = await create('desk');
  const label = engine.labels.get(id) ?? {};
  const machine = engine.machines.get(id);
  if (machine === undefined) throw new Error('it has no machine');
  const plant = (name: string, forged: Record<string, string>) => {
    engine.machines.set(name, machine);
    engine.labels.set(name, forged);
  };
  const owned = open.addOwner('victim');
  // Somebody else's label under another name, a changed one, one without a signature, none.
  plant('cmp_copied', label);
  plant('cmp_given', { ...label, owner: owner(owned).id });
  const { signature: _, ...unsigned } = label;
  plant('cmp_unsigned', unsigned);
  plant('cmp_plain', {});
  await reconciled();
  await vi.waitFor(() => expect(open.fleet.unadopted).toHaveLength(4));
  expect(names()).toEqual(['desk']);
  expect([...engine.machines.keys()]).toHaveLength(5);
  expect(new Set(open.fleet.unadopted?.map(({ reason }) => reason))).toEqual(
    new Set(['its label is not one that this service wrote']),
  );
});

test('what this service deleted is removed, not adopted', async () => {
  const { id } = await create('desk');
  const machine = engine.machines.get(id);
  const label = engine.labels.get(id);
  await open.fleet.computers.remove(open.fleet.computers.find(owner(), { id }));
  // The engine has completed a creation that was given up.
  if (machine && label) engine.machines.set(id, machine);
  await reconciled();
  await vi.waitFor(() => expect(engine.machines.size).toBe(0));
  expect(names()).toEqual([]);
});

test('a machine that does not accept its new key is adopted, and gets it later', async () => {
  backUp();
  const { id } = await create('desk');
  engine.failure = new Error('the guest is frozen');
  await restore();
  await vi.waitFor(() => expect(names()).toEqual(['desk']));
  const key = () => open.store.computers.findById(id)?.public_key;
  expect(engine.keys.get(id)).not.toBe(key());
  engine.failure = undefined;
  await reconciled();
  await vi.waitFor(() => expect(engine.keys.get(id)).toBe(key()));
});

test('labels of earlier versions, and those changed by others, are written again', async () => {
  const { id } = await create('desk');
  const label = engine.labels.get(id);
  engine.labels.set(id, { owner: owner().id, name: 'changed' });
  await reconciled();
  await vi.waitFor(() => expect(engine.labels.get(id)).toEqual(label));
});

test('an adopted computer has its volumes, also those that are newer than the backup', async () => {
  const nothing = async () => undefined;
  Object.assign(engine, {
    createVolume: nothing,
    removeVolume: nothing,
    volumeBytes: async () => 0,
  });
  await open.fleet.volumes.create(owner().id, { name: 'old' });
  backUp();
  await open.fleet.volumes.create(owner().id, { name: 'data' });
  const mounts = { volumes: ['old:/old', 'data:/data:ro'] };
  const made = await create('desk', 'demo', owner(), mounts);
  const { volumes } = open.fleet.computers.find(owner(), made);
  await restore();
  await vi.waitFor(() => expect(names()).toContain('desk'));
  expect(open.fleet.computers.find(owner(), made).volumes).toBe(volumes);
  expect(open.fleet.volumes.list(owner().id)).toMatchObject([
    { name: 'data', used_by: 1 },
    { name: 'old', used_by: 1 },
  ]);
});
