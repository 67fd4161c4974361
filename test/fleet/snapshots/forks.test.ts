// @module-tag slow
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import { CreateComputer } from '../../../src/contract/resources.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { FakeSnapshottingEngine, gate } from '../../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';

let test: TestFleet;
let engine: FakeSnapshottingEngine;
let owner: Owner;

beforeEach(async () => {
  engine = new FakeSnapshottingEngine();
  test = await openTestFleet({ engine, maxRunning: 4 });
  owner = test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  test.fleet.projects.create(owner, 'demo');
  await create('desk');
});
afterEach(() => test.close());

const record = (name: string) => test.fleet.computers.find(owner, { project: 'demo', name });
const names = () => test.fleet.projects.get(owner, 'demo').computers.map(({ name }) => name);
const create = (name: string) => {
  const project = test.fleet.projects.find(owner, 'demo');
  return test.fleet.computers.create(owner, project, CreateComputer.parse({ name }), 'ready');
};
const fork = (copies: readonly string[], snapshot?: string) =>
  test.fleet.computers.fork(owner, record('desk'), { names: copies, snapshot }, 'ready');
const write = (name: string, text: string) => engine.contents.set(record(name).id, text);
const read = (name: string) => engine.contents.get(record(name).id);
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error) => (error instanceof ApiError ? error.code : String(error)),
  );

it('several copies of a running computer share one saved disk, which goes with the last', async () => {
  write('desk', 'state');
  const copies = await fork(['a', 'b', 'c']);
  expect(copies.map(({ name, status }) => `${name} ${status}`)).toEqual([
    ...['a running', 'b running', 'c running'],
  ]);
  expect(engine.disks.size).toBe(1);
  expect(test.fleet.snapshots.list(record('desk'))).toEqual([]);
  write('a', 'changed');
  await test.fleet.computers.reset(record('a'), undefined);
  expect([read('a'), read('b')]).toEqual(['state', 'state']);
  for (const name of ['a', 'b', 'desk']) await test.fleet.computers.remove(record(name));
  expect(engine.disks.size).toBe(1);
  await test.fleet.computers.remove(record('c'));
  expect(engine.disks.size).toBe(0);
});

describe('copies', () => {
  it('of a snapshot run, keep its disk, and can be made while the computer is stopped', async () => {
    write('desk', 'clean');
    await test.fleet.snapshots.create(record('desk'), { name: 'clean', memory: true });
    write('desk', 'later');
    await test.fleet.computers.stop(record('desk'));
    const [copy] = await fork(['a'], 'clean');
    expect(copy?.status).toBe('running');
    await test.fleet.snapshots.remove(record('desk'), 'clean');
    write('a', 'changed');
    await test.fleet.computers.reset(record('a'), undefined);
    expect(read('a')).toBe('clean');
    await test.fleet.computers.remove(record('a'));
    expect(engine.disks.size).toBe(0);
  });

  it('of a stopped computer are stopped, do not count as running, and can be started', async () => {
    await test.fleet.computers.stop(record('desk'));
    expect((await fork(['a', 'b'])).map(({ status }) => status)).toEqual(['stopped', 'stopped']);
    expect(test.store.computers.countRunning(owner.id)).toBe(0);
    expect((await test.fleet.computers.start(record('b'))).status).toBe('running');
  });

  it('are made all or none', async () => {
    await create('taken');
    expect(await refusal(fork(['a', 'taken']))).toBe('name_taken');
    expect(await refusal(fork(['a', 'b', 'c']))).toBe('limit_reached');
    expect(await refusal(fork(['a'], 'none'))).toBe('not_found');
    expect(engine.calls.filter((call) => call.startsWith('save'))).toEqual([]);
    let started = 0;
    vi.spyOn(engine, 'start').mockImplementation(async (id) => {
      started += 1;
      if (started === 2) throw new ApiError('guest_failed', 'It did not boot.');
      const machine = engine.machines.get(id);
      if (machine) machine.status = 'running';
    });
    await expect(fork(['a', 'b'])).rejects.toMatchObject({
      code: 'guest_failed',
      message: 'The copy "b" failed, so none was made: It did not boot.',
    });
    expect(names()).toEqual(['desk', 'taken']);
    expect([engine.machines.size, engine.disks.size]).toEqual([2, 0]);
  });

  it('that a crash interrupted are completed, or were never begun', async () => {
    engine.gates.set('save', new Promise(() => {}));
    const first = refusal(fork(['a']));
    await vi.waitFor(() => expect(engine.gates.size).toBe(0));
    test = await test.restart();
    expect(await first).not.toBe('done');
    expect(names()).toEqual(['desk']);
    await vi.waitFor(() => expect(test.store.savedDisks.unused('docker')).toEqual([]));
    const { passed, open: pass } = gate();
    engine.gates.set('create', passed);
    const second = refusal(fork(['a', 'b']));
    await vi.waitFor(() => expect(engine.gates.size).toBe(0));
    test = await test.restart();
    await vi.waitFor(() => {
      expect([record('a').status, record('b').status]).toEqual(['running', 'running']);
    });
    expect(read('a')).toBe('as created');
    pass();
    expect(await second).not.toBe('done');
  });
});
