import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { Machines } from '../../../src/fleet/lifecycle/machines.js';
import { Reconciler } from '../../../src/fleet/lifecycle/reconcile.js';
import { MachineSessions } from '../../../src/fleet/sessions/machine-sessions.js';
import { fakeConnectors } from '../../support/fake-connectors.js';
import { openTestFleet, silentLog, type TestFleet } from '../../support/fleet.js';
import { promise } from '../../support/run/promise.js';

let world: TestFleet;
let owner: { id: string; keyId: string };
beforeEach(async () => {
  world = await openTestFleet();
  const found = world.fleet.apiKeys.authenticate(world.key);
  if (found === undefined) throw new Error('the key is unknown');
  owner = found;
  world.fleet.projects.create(owner, 'p');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
});

async function create(name: string) {
  const project = world.fleet.projects.find(owner, 'p');
  const size = { os: 'linux', ram: 2, cpu: 2, gpu: 'none' } as const;
  const input = { ...size, name, on_idle: 'stop', labels: {} } as const;
  const resolution = { width: 1280, height: 800 };
  const whole = { ...input, resolution, auto_stop_minutes: null, protected: false };
  const { id } = await world.fleet.computers.create(owner, project, whole, 'ready');
  return world.fleet.computers.find(owner, { id });
}

/** Fails all writes of a status until the engine has been called. */
function fillDisk(until: () => boolean): void {
  const { computers } = world.store;
  const { change } = computers;
  vi.spyOn(computers, 'change').mockImplementation((...args) => {
    if (until()) return change(...args);
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  });
}

promise(28, 'stops and deletions reach the engine when nothing can be written', async () => {
  const record = await create('a');
  const other = await create('b');
  fillDisk(() => world.engine.calls.includes(`stop ${record.id}`));
  expect((await world.fleet.computers.stop(record)).status).toBe('stopped');
  vi.restoreAllMocks();
  fillDisk(() => world.engine.calls.includes(`remove ${other.id}`));
  await world.fleet.computers.remove(other);
  expect(() => world.fleet.computers.find(owner, { id: other.id })).toThrow('There is no computer');
});

promise(28, 'the disk reserve is released for a stop or deletion, and taken again', async () => {
  const path = join(world.directory, 'reserve');
  expect(statSync(path).size).toBe(4 * 2 ** 20);
  const record = await create('a');
  fillDisk(() => !existsSync(path));
  expect((await world.fleet.computers.stop(record)).status).toBe('stopped');
  expect(existsSync(path)).toBe(false);
  world.fleet.storeState();
  expect(existsSync(path)).toBe(true);
});

promise(28, 'the end of a computer is reported once it can be stored', async () => {
  const { engine, store } = world;
  const { id } = await create('a');
  const set = { all: new Map([[engine.name, engine]]), preferred: engine.name };
  const machines = new Machines(set, store, new MachineSessions(store, fakeConnectors()));
  const ended: string[] = [];
  const reconciler = new Reconciler(
    store,
    machines,
    silentLog,
    async () => {},
    (record, now) => ended.push(`${record.id} ${now}`),
  );
  const machine = engine.machines.get(id);
  if (machine === undefined) throw new Error('no machine');
  engine.machines.set(id, { ...machine, status: 'stopped' });
  const { transaction } = store;
  vi.spyOn(store, 'transaction').mockImplementation((work) =>
    transaction.call(store, () => {
      work();
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    }),
  );
  const run = () => reconciler.run(engine, new AbortController().signal);
  await expect(run()).rejects.toThrow('full');
  await expect(run()).rejects.toThrow('full');
  expect(ended).toEqual([]);
  vi.restoreAllMocks();
  await run();
  await run();
  expect(ended).toEqual([`${id} stopped`]);
});
