import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import { CreateComputer } from '../../../src/contract/resources.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { FakeEngine, FakeSnapshottingEngine, FakeVmEngine } from '../../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';

let test: TestFleet;
let engine: FakeSnapshottingEngine;
let owner: Owner;

beforeEach(async () => {
  engine = new FakeSnapshottingEngine();
  test = await openTestFleet({ engine });
  owner = test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  test.fleet.projects.create(owner, 'demo');
});
afterEach(() => test.close());

const record = (name: string) => test.fleet.computers.find(owner, { project: 'demo', name });
const names = () => test.fleet.projects.get(owner, 'demo').computers.map(({ name }) => name);
const create = (name: string) => {
  const project = test.fleet.projects.find(owner, 'demo');
  const settings = { auto_stop_minutes: 9, labels: { team: 'qa' }, expires_in: 3600 };
  const input = CreateComputer.parse({ name, ram: 4, ...settings, resolution: '800x600' });
  return test.fleet.computers.create(owner, project, input, 'ready');
};
const fork = async (from: string, name: string, wait: 'ready' | 'no' = 'ready') => {
  const [copy] = await test.fleet.computers.fork(owner, record(from), { names: [name] }, wait);
  if (copy === undefined) throw new Error('there is no copy');
  return copy;
};
const stop = (name: string) => test.fleet.computers.stop(record(name));
const start = (name: string) => test.fleet.computers.start(record(name));
const restart = (name: string) => test.fleet.computers.restart(record(name));
const countRunning = () => test.store.computers.countRunning(owner.id);
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error) => (error instanceof ApiError ? error.code : String(error)),
  );
const engineSpec = (name: string) => {
  const machine = engine.machines.get(record(name).id);
  if (machine === undefined) throw new Error(`the engine has no machine of ${name}`);
  return machine.spec;
};
const reopen = async () => {
  test = await test.restart();
};

/** Blocks the next such call until the returned function is called. */
function gate(call: 'save' | 'create' | 'start' | 'stop'): () => void {
  let open = () => {};
  engine.gates.set(
    call,
    new Promise<void>((resolve) => {
      open = resolve;
    }),
  );
  return open;
}
const underWay = (call: 'save' | 'create' | 'start' | 'stop') =>
  vi.waitFor(() => expect(engine.gates.has(call)).toBe(false));

describe('a copy of a running computer', () => {
  it('runs, with the same size and its own key', async () => {
    const original = await create('one');
    const copy = await fork('one', 'two');
    expect(copy).toMatchObject({
      name: 'two',
      status: 'running',
      ram: 4,
      auto_stop_minutes: 9,
      labels: { team: 'qa' },
      expires_at: original.expires_at,
      resolution: { width: 800, height: 600 },
    });
    expect(copy.id).not.toBe(original.id);
    expect(engine.machines.get(copy.id)?.status).toBe('running');
    const [theirs, ours] = [record('one'), record('two')];
    expect(ours.public_key).not.toBe(theirs.public_key);
    expect(engine.machines.get(copy.id)?.spec.authorizedKey).toBe(ours.public_key);
  });

  it('counts against the limit', async () => {
    await create('one');
    await create('two');
    expect(await refusal(fork('one', 'three'))).toBe('limit_reached');
    expect(names()).toEqual(['one', 'two']);
  });

  it('waits until its source is ready', async () => {
    const open = gate('start');
    const creating = create('one');
    await underWay('start');
    const copying = fork('one', 'two');
    open();
    await creating;
    expect((await copying).status).toBe('running');
  });

  it('delays a deletion of its source until its disk is saved, and is refused then', async () => {
    await create('one');
    const open = gate('save');
    const copying = refusal(fork('one', 'two'));
    await underWay('save');
    const removing = test.fleet.computers.remove(record('one'));
    await new Promise(setImmediate);
    expect(engine.calls.some((call) => call.startsWith('remove'))).toBe(false);
    open();
    expect(await copying).toBe('conflict');
    await removing;
    expect(names()).toEqual([]);
    expect(engine.disks.size).toBe(0);
  });

  it('does not start while a text is typed', async () => {
    await create('one');
    const one = record('one');
    const order: string[] = [];
    await test.fleet.actions.perform(one, 'move', { x: 1, y: 1 }, new AbortController().signal);
    const screen = test.connectors.screens.at(-1);
    if (screen === undefined) throw new Error('no screen was opened');
    let typed = () => {};
    vi.spyOn(screen, 'type').mockImplementation(async () => {
      await new Promise<void>((resolve) => {
        typed = resolve;
      });
      order.push('typed');
    });
    const typing = test.fleet.actions.perform(
      one,
      'type',
      { text: 'a' },
      new AbortController().signal,
    );
    const copying = fork('one', 'two').then(() => order.push('copied'));
    await vi.waitFor(() => expect(screen.type).toHaveBeenCalled());
    typed();
    await Promise.all([typing, copying]);
    expect(order).toEqual(['typed', 'copied']);
  });
});

describe('a copy of a stopped computer', () => {
  it('is stopped, and starts from its own disk', async () => {
    await create('one');
    await stop('one');
    engine.contents.set(record('one').id, 'state');
    const copy = await fork('one', 'two');
    expect(copy.status).toBe('stopped');
    expect((await test.fleet.computers.start(record('two'))).status).toBe('running');
    expect(engine.contents.get(copy.id)).toBe('state');
  });

  it('does not count against the limit, even while it is created', async () => {
    await create('one');
    await stop('one');
    await create('two');
    await create('three');
    const open = gate('create');
    const copying = fork('one', 'four');
    await underWay('create');
    await stop('two');
    expect((await test.fleet.computers.start(record('two'))).status).toBe('running');
    open();
    expect((await copying).status).toBe('stopped');
  });

  it('is not recreated if its disk was removed outside the service', async () => {
    await create('one');
    await stop('one');
    const copy = await fork('one', 'two');
    engine.machines.delete(copy.id);
    await reopen();
    await vi.waitFor(() => expect(record('two').status).toBe('error'));
    expect(record('two').status_reason).toContain('disk is lost');
  });
});

describe('a copy of a stopped computer, at the limit of running ones', () => {
  const atLimit = async () => {
    await create('one');
    await stop('one');
    await create('two');
    await create('three');
  };

  it.each([
    ['start', start],
    ['restart', restart],
  ])('is refused a %s that a stop overtakes', async (_, run) => {
    await atLimit();
    const openCreate = gate('create');
    const copying = refusal(fork('one', 'four'));
    await underWay('create');
    const running = refusal(run('four'));
    const openStop = gate('stop');
    const stopping = stop('four');
    openCreate();
    await underWay('stop');
    await new Promise(setImmediate);
    openStop();
    expect(await copying).toBe('done');
    expect(await running).toBe('limit_reached');
    expect(countRunning()).toBe(2);
    expect((await stopping).status).toBe('stopped');
  });

  it.each([
    ['start', start],
    ['restart', restart],
  ])('is refused a %s while the engine is away, and runs when there is room', async (_, run) => {
    await atLimit();
    engine.failures.set('create', new ApiError('engine_unavailable', 'It does not answer.'));
    await fork('one', 'four', 'no');
    await vi.waitFor(() => expect(record('four').status_reason).toBe('It does not answer.'));
    engine.failures.clear();
    expect(await refusal(run('four'))).toBe('limit_reached');
    expect(record('four').status).toBe('starting');
    expect(countRunning()).toBe(2);
    await stop('two');
    expect((await run('four')).status).toBe('running');
    expect(countRunning()).toBe(2);
  });

  it('is refused a start while its stop is delayed', async () => {
    await atLimit();
    engine.failures.set('create', new ApiError('engine_unavailable', 'It does not answer.'));
    engine.failures.set('stop', new ApiError('engine_unavailable', 'It does not answer.'));
    await fork('one', 'four', 'no');
    expect(await refusal(stop('four'))).toBe('engine_unavailable');
    engine.failures.clear();
    expect(record('four').status).toBe('stopping');
    expect(await refusal(start('four'))).toBe('limit_reached');
    expect(countRunning()).toBe(2);
  });

  it('counts if its machine runs all the same', async () => {
    await atLimit();
    await stop('two');
    engine.failures.set('create', new ApiError('internal', 'no answer in time'));
    const { id } = await fork('one', 'four', 'no');
    await vi.waitFor(() => expect(record('four').status).toBe('error'));
    expect(countRunning()).toBe(1);
    // The engine completed it nevertheless.
    engine.machines.set(id, { spec: { ...engineSpec('one'), id }, status: 'running' });
    engine.emit({ id, status: 'running' });
    await vi.waitFor(() => expect(record('four').status).toBe('running'));
    expect(countRunning()).toBe(2);
    expect(await refusal(start('two'))).toBe('limit_reached');
    expect((await restart('four')).status).toBe('running');
    expect(engine.calls.filter((call) => call === `create ${id}`)).toHaveLength(1);
  });
});

describe('a refused copy', () => {
  it('changes nothing', async () => {
    await create('one');
    expect(await refusal(fork('one', 'one'))).toBe('name_taken');
    for (const call of ['save', 'create'] as const) {
      engine.failures.set(call, new ApiError('internal', 'no room'));
      expect(await refusal(fork('one', 'two'))).toBe('internal');
      engine.failures.clear();
      expect(names()).toEqual(['one']);
      expect([engine.machines.size, engine.disks.size]).toEqual([1, 0]);
    }
  });

  it('names an engine that saves disks', async () => {
    await test.close();
    test = await openTestFleet({ engine: new FakeEngine(), other: new FakeVmEngine() });
    owner = test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
    test.fleet.projects.create(owner, 'demo');
    await create('one');
    await expect(fork('one', 'two')).rejects.toMatchObject({
      code: 'unsupported',
      remedy: 'Use a computer of another engine: vc create --engine qemu',
    });
    expect(names()).toEqual(['one']);
  });
});

it('a copy that a crash interrupted is completed even if its source was deleted', async () => {
  await create('one');
  const open = gate('create');
  const answer = refusal(fork('one', 'two'));
  await underWay('create');
  await test.fleet.computers.remove(record('one'));
  test = await test.restart();
  open();
  expect(await answer).not.toBe('done');
  await vi.waitFor(() => expect(record('two').status).toBe('running'));
  expect(names()).toEqual(['two']);
});
