import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import { CreateComputer } from '../../../src/contract/resources.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { FakeEngine, FakeSnapshottingEngine, gate } from '../../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';
import { promise } from '../../support/run/promise.js';

let test: TestFleet;
let engine: FakeSnapshottingEngine;
let owner: Owner;

const AWAY = new ApiError('engine_unavailable', 'It does not answer.');

async function open(options: Parameters<typeof openTestFleet>[0] = {}): Promise<void> {
  engine = new FakeSnapshottingEngine();
  test = await openTestFleet({ engine, maxRunning: 4, ...options });
  owner = test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  test.fleet.projects.create(owner, 'demo');
}
beforeEach(() => open());
afterEach(() => test.close());

const record = (name: string) => test.fleet.computers.find(owner, { project: 'demo', name });
const create = (name: string) => {
  const project = test.fleet.projects.find(owner, 'demo');
  return test.fleet.computers.create(owner, project, CreateComputer.parse({ name }), 'ready');
};
const snapshot = (of: string, name?: string) =>
  test.fleet.snapshots.create(record(of), { name, memory: true });
const reset = (name: string, to?: string) => test.fleet.computers.reset(record(name), to);
const tree = (of: string) =>
  test.fleet.snapshots
    .list(record(of))
    .map(({ name, parent, current }) => `${name} < ${parent}${current ? ' *' : ''}`);
const write = (name: string, text: string) => engine.contents.set(record(name).id, text);
const read = (name: string) => engine.contents.get(record(name).id);
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error) => (error instanceof ApiError ? error.code : String(error)),
  );

it('a computer is put back to a snapshot, and to the moment after its creation', async () => {
  const { id } = await create('desk');
  write('desk', 'clean');
  expect(await snapshot('desk', 'clean')).toMatchObject({
    ...{ name: 'clean', parent: null, bytes: 100, memory: false, current: true },
  });
  write('desk', 'broken');
  const back = await reset('desk', 'clean');
  expect(back).toMatchObject({ id, name: 'desk', status: 'running' });
  expect(read('desk')).toBe('clean');
  await reset('desk');
  expect(read('desk')).toBe('as created');
  expect(tree('desk')).toEqual(['clean < null']);
});

describe('snapshots', () => {
  it('form a tree, and those after a removed one get its parent', async () => {
    await create('desk');
    await snapshot('desk');
    await snapshot('desk');
    await reset('desk', 'snap-1');
    await snapshot('desk', 'other');
    await snapshot('desk');
    const whole = ['snap-1 < null', 'snap-2 < snap-1', 'other < snap-1', 'snap-3 < other *'];
    expect(tree('desk')).toEqual(whole);
    await test.fleet.snapshots.remove(record('desk'), 'snap-1');
    await test.fleet.snapshots.remove(record('desk'), 'snap-3');
    expect(tree('desk')).toEqual(['snap-2 < null', 'other < null *']);
    expect(engine.disks.size).toBe(2);
    expect((await snapshot('desk')).name).toBe('snap-1');
  });

  it('of a stopped computer are made, of one that starts when it has started', async () => {
    await create('desk');
    await test.fleet.computers.stop(record('desk'));
    await snapshot('desk', 'stopped');
    const { passed, open: pass } = gate();
    engine.gates.set('start', passed);
    const starting = test.fleet.computers.start(record('desk'));
    const taking = snapshot('desk', 'started');
    await new Promise(setImmediate);
    expect(engine.disks.size).toBe(1);
    pass();
    await starting;
    expect((await taking).parent).toBe('stopped');
  });

  it('delay a deletion, and go with their computer', async () => {
    await create('desk');
    await snapshot('desk');
    const { passed, open: pass } = gate();
    engine.gates.set('save', passed);
    const taking = refusal(snapshot('desk', 'late'));
    await vi.waitFor(() => expect(engine.gates.size).toBe(0));
    const removing = test.fleet.computers.remove(record('desk'));
    await new Promise(setImmediate);
    pass();
    expect(await taking).toBe('conflict');
    await removing;
    expect(engine.disks.size).toBe(0);
    expect(test.store.savedDisks.bytes(owner.id)).toBe(0);
  });

  it.each([
    ['a name that is taken', () => snapshot('desk', 'clean'), 'name_taken'],
    ['a snapshot that is not there', () => reset('desk', 'none'), 'not_found'],
    ['the removal of one that is not there', () => remove('none'), 'not_found'],
    ['a computer that has failed', () => snapshot('failed'), 'conflict'],
  ])('refuse %s', async (_, attempt, code) => {
    await create('desk');
    await snapshot('desk', 'clean');
    await create('failed');
    engine.emit({ id: record('failed').id, status: 'error', reason: 'It broke.' });
    await vi.waitFor(() => expect(record('failed').status).toBe('error'));
    expect(await refusal(attempt())).toBe(code);
    expect(tree('desk')).toEqual(['clean < null *']);
  });
  const remove = (name: string) => test.fleet.snapshots.remove(record('desk'), name);

  it('that fail leave nothing, whether the engine can be reached or not', async () => {
    await create('desk');
    engine.failures.set('save', new ApiError('internal', 'no room'));
    expect(await refusal(snapshot('desk'))).toBe('internal');
    expect([...tree('desk'), ...test.store.savedDisks.unused('docker')]).toEqual([]);
    engine.failures.set('save', AWAY);
    engine.failures.set('removeSaved', AWAY);
    expect(await refusal(snapshot('desk', 'one'))).toBe('engine_unavailable');
    engine.failures.delete('save');
    await snapshot('desk', 'one');
    engine.failures.clear();
    test = await test.restart();
    await vi.waitFor(() => expect(test.store.savedDisks.unused('docker')).toEqual([]));
  });

  it('twenty at once have names of their own', async () => {
    await create('desk');
    await Promise.all(Array.from({ length: 20 }, () => snapshot('desk')));
    expect(new Set(test.fleet.snapshots.list(record('desk')).map(({ name }) => name)).size).toBe(
      20,
    );
  });

  promise(34, 'are refused beyond the limit of storage, and can then be removed', async () => {
    await create('desk');
    await snapshot('desk', 'small');
    test.fleet.owners.update('default', { max_storage: 1 });
    engine.bytes = 1e9;
    expect(await refusal(snapshot('desk', 'large'))).toBe('limit_reached');
    expect(engine.disks.size).toBe(1);
    test.fleet.owners.update('default', { max_storage: 0 });
    await expect(snapshot('desk', 'more')).rejects.toMatchObject({
      message: 'The limit of storage (0 GB) is reached.',
      remedy: expect.stringContaining('vc owner set default --max-storage 10'),
    });
    await test.fleet.snapshots.remove(record('desk'), 'small');
    expect(test.fleet.computers.storage(owner.id)).toMatchObject({
      storage_bytes: 0,
      max_storage: 0,
    });
  });

  it('need an engine that saves disks', async () => {
    await test.close();
    await open({ engine: new FakeEngine() });
    await create('desk');
    expect(await refusal(snapshot('desk'))).toBe('unsupported');
    expect(await refusal(reset('desk'))).toBe('unsupported');
  });

  it('have events', async () => {
    await create('desk');
    const stream = test.fleet.events.subscribe(owner, {
      types: ['snapshot.created', 'snapshot.deleted'],
    });
    await snapshot('desk', 'clean');
    await test.fleet.snapshots.remove(record('desk'), 'clean');
    const of = { computer: 'desk', project: 'demo', name: 'clean' };
    expect(stream.read().map(({ event }) => event)).toMatchObject([
      { type: 'snapshot.created', parent: null, ...of },
      { type: 'snapshot.deleted', ...of },
    ]);
    stream.close();
  });
});

describe('a reset', () => {
  it('leaves a stopped computer stopped, and continues the memory of a snapshot', async () => {
    await create('desk');
    engine.savesMemory = true;
    expect((await snapshot('desk', 'live')).memory).toBe(true);
    expect((await reset('desk', 'live')).status).toBe('running');
    await test.fleet.computers.stop(record('desk'));
    write('desk', 'broken');
    expect((await reset('desk')).status).toBe('stopped');
    expect(read('desk')).toBe('as created');
    expect(test.store.computers.countRunning(owner.id)).toBe(0);
  });

  it('brings back a computer whose machine is gone', async () => {
    await create('desk');
    await snapshot('desk', 'clean');
    engine.machines.clear();
    engine.emit({ id: record('desk').id, status: 'gone' });
    await vi.waitFor(() => expect(record('desk').status).toBe('error'));
    expect((await reset('desk', 'clean')).status).toBe('running');
  });

  it.each([
    ['running', 'running'],
    ['stopped', 'stopped'],
  ] as const)('that a crash interrupted is completed: the computer was %s', async (was, then) => {
    await create('desk');
    await snapshot('desk', 'clean');
    write('desk', 'broken');
    if (was === 'stopped') await test.fleet.computers.stop(record('desk'));
    const { passed, open: pass } = gate();
    engine.gates.set('reset', passed);
    const answer = refusal(reset('desk', 'clean'));
    await vi.waitFor(() => expect(engine.calls.at(-1)).toContain('reset'));
    // The machine may be between its removal and its creation.
    engine.machines.delete(record('desk').id);
    test = await test.restart();
    await vi.waitFor(() => expect(record('desk').status).toBe(then));
    pass();
    expect(await answer).toBe('conflict');
    expect(read('desk')).toBe(engine.disks.values().next().value?.content);
    expect(tree('desk')).toEqual(['clean < null *']);
  });

  it('that is interrupted by a stop is completed by it', async () => {
    await create('desk');
    write('desk', 'broken');
    const { passed, open: pass } = gate();
    engine.gates.set('reset', passed);
    const answer = refusal(reset('desk'));
    await vi.waitFor(() => expect(engine.calls.at(-1)).toContain('reset'));
    const stopping = test.fleet.computers.stop(record('desk'));
    pass();
    expect(await answer).toBe('conflict');
    expect((await stopping).status).toBe('stopped');
    expect(read('desk')).toBe('as created');
    expect(record('desk').reset_to).toBeNull();
  });

  it('keeps its snapshot from being removed', async () => {
    await create('desk');
    await snapshot('desk', 'clean');
    const { passed, open: pass } = gate();
    engine.gates.set('reset', passed);
    const resetting = reset('desk', 'clean');
    await vi.waitFor(() => expect(engine.calls.at(-1)).toContain('reset'));
    const removing = test.fleet.snapshots.remove(record('desk'), 'clean');
    expect(await refusal(removing)).toBe('conflict');
    pass();
    await resetting;
  });
});

describe('disks that nothing needs', () => {
  it('are removed: those without a row, and rows that were not completed', async () => {
    await create('desk');
    const { id } = record('desk');
    const orphan = {
      id: 'snp_orphan',
      kind: 'snapshot',
      ownerId: owner.id,
      memory: false,
    } as const;
    await engine.save(id, orphan);
    const row = {
      kind: 'snapshot',
      owner_id: owner.id,
      computer_id: id,
      engine: 'docker',
      config: null,
      shared: 0,
    } as const;
    test.store.savedDisks.insert({ ...row, id: 'snp_cut', name: 'cut', parent: null, os: 'linux' });
    await engine.save(id, { ...orphan, id: 'snp_cut' });
    await snapshot('desk', 'kept');
    engine.failures.set('removeSaved', AWAY);
    test = await test.restart();
    // The name of what was not completed is free at once.
    await snapshot('desk', 'cut');
    await test.fleet.snapshots.remove(record('desk'), 'cut').catch(() => undefined);
    engine.failures.clear();
    test = await test.restart();
    await vi.waitFor(() => expect(engine.disks.size).toBe(1));
    expect(tree('desk')).toEqual(['kept < null *']);
  });
});
