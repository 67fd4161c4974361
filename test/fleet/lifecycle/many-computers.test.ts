// @module-tag slow
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Machines } from '../../../src/fleet/lifecycle/machines.js';
import { Reconciler } from '../../../src/fleet/lifecycle/reconcile.js';
import { MachineSessions } from '../../../src/fleet/sessions/machine-sessions.js';
import { fakeConnectors } from '../../support/fake-connectors.js';
import { openTestFleet, silentLog, wanted } from '../../support/fleet.js';
import { FakeClusteredEngine } from '../../support/memory-engine/clustered-engine.js';

const COUNT = 600;

/** A fleet with running computers on a cluster, and a reconciler that has not seen them. */
async function manyComputers() {
  const engine = new FakeClusteredEngine();
  const world = await openTestFleet({ engine, maxRunning: COUNT });
  onTestFinished(() => world.close());
  const owner = world.fleet.apiKeys.authenticate(world.key);
  if (owner === undefined) throw new Error('the key is unknown');
  const project = world.fleet.projects.create(owner, 'demo');
  const { store } = world;
  const first = await world.fleet.computers.create(
    ...([owner, world.fleet.projects.find(owner, project.name), wanted('c0'), 'ready'] as const),
  );
  const row = store.computers.findById(first.id);
  if (row === undefined) throw new Error('no row');
  const spec = engine.machines.get(first.id)?.spec;
  for (let index = 1; index < COUNT; index++) {
    const id = `cmp_${index}`;
    store.transaction(() => {
      store.computers.insert({ ...row, id, name: `c${index}`, status: 'starting' });
      store.computers.change(id, 'ready');
    });
    if (spec) engine.machines.set(id, { spec: { ...spec, id }, status: 'running' });
    engine.places.set(id, 'm1');
  }
  const set = { all: new Map([[engine.name, engine]]), preferred: engine.name };
  const machines = new Machines(set, store, new MachineSessions(store, fakeConnectors()));
  return { engine, store, reconciler: new Reconciler(store, machines, silentLog) };
}

it('a round stores what has changed on many computers in few transactions', async () => {
  const { engine, store, reconciler } = await manyComputers();
  for (const id of engine.places.keys()) engine.places.set(id, 'm2');
  const transactions = vi.spyOn(store, 'transaction');
  await reconciler.run(engine, new AbortController().signal);
  expect(transactions.mock.calls.length).toBeLessThan(COUNT / 100);
  expect(new Set(store.computers.listAll().map(({ member }) => member))).toEqual(new Set(['m2']));
});

it('requests are answered during a round', async () => {
  const { engine, reconciler } = await manyComputers();
  let isDone = false;
  const round = reconciler.run(engine, new AbortController().signal).then(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns++) await setImmediate();
  await round;
  expect(turns).toBeGreaterThan(2);
});

it('a round on a full disk still resumes an interrupted deletion, which frees space', async () => {
  const { engine, store, reconciler } = await manyComputers();
  store.computers.change('cmp_1', 'remove');
  engine.places.set('cmp_2', 'm3');
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  vi.spyOn(store.computers, 'setMember').mockImplementation((id, member) => {
    if (id === 'cmp_2' && member === 'm3') throw full;
  });
  await expect(reconciler.run(engine, new AbortController().signal)).rejects.toThrow('full');
  await vi.waitFor(() => expect(engine.calls).toContain('remove cmp_1'));
});
