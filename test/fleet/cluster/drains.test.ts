// @module-tag slow
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import { CreateComputer } from '../../../src/contract/resources.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { gate } from '../../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';
import { FakeClusteredEngine } from '../../support/memory-engine/clustered-engine.js';

let engine: FakeClusteredEngine;
let open: TestFleet;
beforeEach(async () => {
  engine = new FakeClusteredEngine();
  open = await openTestFleet({ engine, maxRunning: 9 });
  open.fleet.projects.create(owner(), 'demo');
});
afterEach(() => open.close());

function owner(): Owner {
  const found = open.fleet.apiKeys.authenticate(open.key);
  if (found === undefined) throw new Error('the key is not known');
  return found;
}

async function create(name: string, where: object = {}): Promise<string> {
  const input = CreateComputer.parse({ name, ...where });
  const project = open.fleet.projects.find(owner(), 'demo');
  return (await open.fleet.computers.create(owner(), project, input, 'ready')).id;
}

/** The members that the engine is asked to move computers to. */
function trackMoves() {
  const targets: string[] = [];
  const move = engine.move.bind(engine);
  vi.spyOn(engine, 'move').mockImplementation((id, target) => {
    targets.push(target);
    return move(id, target);
  });
  return { targets };
}

const row = (id: string) => open.store.computers.findById(id);
const member = (name: string) => open.fleet.members.get(name);
const untilDrained = (name: string) =>
  vi.waitFor(async () => expect((await member(name)).status).toBe('drained'));

test('the computers of a drained member are on another, as they were', async () => {
  const [runs, stopped, other] = [
    await create('runs', { member: 'm1' }),
    await create('stopped', { member: 'm1' }),
    await create('other', { member: 'm2' }),
  ];
  await open.fleet.computers.stop(open.fleet.computers.find(owner(), { id: stopped }));
  engine.calls.length = 0;
  expect((await open.fleet.members.drain('m1')).status).toBe('draining');
  await untilDrained('m1');
  await vi.waitFor(() => expect(row(runs)).toMatchObject({ status: 'running', member: 'm2' }));
  expect(row(stopped)).toMatchObject({ status: 'stopped', member: 'm2' });
  expect(engine.calls.filter((call) => call.endsWith(runs))).toEqual([
    `stop ${runs}`,
    `move ${runs}`,
    `start ${runs}`,
  ]);
  expect(engine.calls).not.toContain(`start ${stopped}`);
  expect(engine.calls.some((call) => call.endsWith(other))).toBe(false);
});

test('a drained member gets no new computers until it is returned', async () => {
  await open.fleet.members.drain('m1');
  await expect(create('a', { member: 'm1' })).rejects.toMatchObject({
    code: 'conflict',
    message: 'The cluster member "m1" is drained.',
  });
  expect(row(await create('b'))?.member).toBe('m2');
  expect(row(await create('c', { group: 'default' }))?.member).toBe('m2');
  await open.fleet.members.drain('m2');
  await expect(create('d', { group: 'fast' })).rejects.toMatchObject({ code: 'conflict' });
  await expect(create('e')).rejects.toMatchObject({
    message: 'No member of the cluster takes new computers.',
  });
  const returned = await open.fleet.members.return('m1');
  expect(returned).toMatchObject({ status: 'online', drain: null });
  expect(row(await create('f', { member: 'm1' }))?.member).toBe('m1');
});

test('a computer that cannot be moved runs where it was, and is tried again', async () => {
  const id = await create('one', { member: 'm1' });
  engine.failures.set('move', new ApiError('internal', 'no space left'));
  await open.fleet.members.drain('m1');
  const failed = [{ id, error: 'no space left' }];
  await vi.waitFor(async () => {
    expect((await member('m1')).drain).toMatchObject({ moving: null, failed });
  });
  expect(row(id)).toMatchObject({ status: 'running', member: 'm1' });
  engine.failures.clear();
  await open.fleet.members.drain('m1');
  await untilDrained('m1');
  expect((await member('m1')).drain?.failed).toEqual([]);
});

test('a computer that could not be moved is not stopped again in each round', async () => {
  const [id, sign] = [await create('one', { member: 'm1' }), await create('two', { member: 'm2' })];
  engine.failures.set('move', new ApiError('internal', 'no space left'));
  await open.fleet.members.drain('m1');
  await vi.waitFor(async () => expect((await member('m1')).drain?.failed).toHaveLength(1));
  engine.failures.clear();
  // When this one has left, a whole round was made.
  engine.places.set(sign, 'm1');
  open.store.computers.setMember(sign, 'm1');
  open.fleet.drains.resume();
  await vi.waitFor(() => expect(row(sign)).toMatchObject({ status: 'running', member: 'm2' }));
  expect(engine.calls.filter((call) => call === `stop ${id}`)).toHaveLength(1);
  expect(row(id)).toMatchObject({ status: 'running', member: 'm1' });
  expect((await member('m1')).drain?.failed).toMatchObject([{ id }]);
});

test('a member that could not take a computer is not tried first again', async () => {
  const id = await create('one', { member: 'm1' });
  await create('two', { member: 'm2' });
  engine.found.push({ ...engine.found[1], name: 'm4' } as (typeof engine.found)[number]);
  engine.failures.set('move', new ApiError('internal', 'no space left'));
  const { targets } = trackMoves();
  const now = vi.spyOn(performance, 'now');
  await open.fleet.members.drain('m1');
  await vi.waitFor(async () => expect((await member('m1')).drain?.failed).toHaveLength(1));
  engine.failures.clear();
  const at = performance.now();
  now.mockImplementation(() => at + 61_000);
  open.fleet.drains.resume();
  await untilDrained('m1');
  now.mockRestore();
  expect(targets).toEqual(['m4', 'm2']);
  expect(row(id)?.member).toBe('m2');
});

test('a computer stays in its group, and on a member that does not answer', async () => {
  const grouped = await create('grouped', { group: 'fast' });
  const away = await create('away', { member: 'm1' });
  engine.calls.length = 0;
  await open.fleet.members.drain('m2');
  const inGroup = 'No other member of the group "fast" takes computers.';
  await vi.waitFor(async () =>
    expect((await member('m2')).drain?.failed).toEqual([{ id: grouped, error: inGroup }]),
  );
  await open.fleet.members.return('m2');
  engine.found[0] = { ...engine.found[0], status: 'offline' } as (typeof engine.found)[number];
  await open.fleet.members.drain('m1');
  await vi.waitFor(async () =>
    expect((await member('m1')).drain?.failed).toMatchObject([{ id: away }]),
  );
  for (const id of [grouped, away]) expect(row(id)?.status).toBe('running');
  expect(engine.calls.filter((call) => call.startsWith('stop'))).toEqual([]);
});

test('a drain that a crash has interrupted continues, and its computer runs', async () => {
  const [first, second] = [
    await create('first', { member: 'm1' }),
    await create('second', { member: 'm1' }),
  ];
  const { passed, open: pass } = gate();
  engine.gates.set('move', passed);
  await open.fleet.members.drain('m1');
  await vi.waitFor(() => expect(engine.calls).toContain(`move ${first}`));
  expect(row(first)).toMatchObject({ status: 'starting' });
  expect(row(first)?.status_reason).toContain('being moved to the cluster member "m2"');
  expect((await member('m1')).drain?.moving).toBe(first);
  const restarted = open.restart();
  pass();
  open = await restarted;
  for (const id of [first, second]) {
    await vi.waitFor(() => expect(row(id)).toMatchObject({ status: 'running', member: 'm2' }));
  }
  expect((await member('m1')).status).toBe('drained');
});

test('a stopped computer that has only the copy of an interrupted move is moved on', async () => {
  const id = await create('one', { member: 'm1' });
  await open.fleet.computers.stop(open.fleet.computers.find(owner(), { id }));
  engine.failures.set('stop', new ApiError('engine_unavailable', 'It is being moved.'));
  await open.fleet.members.drain('m1');
  await untilDrained('m1');
  expect(row(id)).toMatchObject({ status: 'stopped', member: 'm2' });
});

test('a running computer that has only the copy of an interrupted move is started again', async () => {
  const id = await create('one', { member: 'm1' });
  const away = new ApiError('engine_unavailable', 'It is being moved.');
  engine.failures.set('move', new ApiError('internal', 'the server ended'));
  engine.failures.set('start', away);
  engine.moving.add(id);
  await open.fleet.members.drain('m1');
  await vi.waitFor(() => expect(row(id)?.status_reason).toBe(away.message));
  expect(row(id)).toMatchObject({ status: 'starting', member: 'm1' });
  // The start completes the move.
  engine.failures.clear();
  engine.places.set(id, 'm2');
  engine.emit({ id, status: 'unreachable', isMoving: true });
  await vi.waitFor(() => expect(row(id)?.status).toBe('running'));
  engine.emit({ id, status: 'running', member: 'm2' });
  await untilDrained('m1');
  expect(row(id)).toMatchObject({ status: 'running', member: 'm2' });
});

test('a stop during a move is obeyed', async () => {
  const id = await create('one', { member: 'm1' });
  const { passed, open: pass } = gate();
  engine.gates.set('move', passed);
  await open.fleet.members.drain('m1');
  await vi.waitFor(() => expect(engine.calls).toContain(`move ${id}`));
  const stopped = open.fleet.computers.stop(open.fleet.computers.find(owner(), { id }));
  pass();
  await stopped;
  await vi.waitFor(() => expect(row(id)?.status).toBe('stopped'));
  open.fleet.drains.resume();
  await untilDrained('m1');
  expect(row(id)).toMatchObject({ status: 'stopped', member: 'm2' });
});

test('a computer whose machine is lost is neither counted nor moved', async () => {
  const [lost, one] = [
    await create('lost', { member: 'm1' }),
    await create('one', { member: 'm1' }),
  ];
  engine.machines.delete(lost);
  open = await open.restart();
  await vi.waitFor(() => expect(row(lost)?.status).toBe('error'));
  expect(await member('m1')).toMatchObject({ computer_count: 1 });
  await open.fleet.members.drain('m1');
  await untilDrained('m1');
  expect((await member('m1')).drain?.failed).toEqual([]);
  expect(engine.calls).not.toContain(`move ${lost}`);
  expect(row(one)?.member).toBe('m2');
});

test('a computer that never got a machine is created on another member later', async () => {
  engine.failures.set('create', new ApiError('internal', 'no space left'));
  const input = CreateComputer.parse({ name: 'one', member: 'm1' });
  const project = open.fleet.projects.find(owner(), 'demo');
  const { id } = await open.fleet.computers.create(owner(), project, input, 'no');
  await vi.waitFor(() => expect(row(id)).toMatchObject({ status: 'error', member: 'm1' }));
  engine.failures.clear();
  await open.fleet.members.drain('m1');
  await untilDrained('m1');
  await open.fleet.computers.start(open.fleet.computers.find(owner(), { id }));
  await vi.waitFor(() => expect(row(id)).toMatchObject({ status: 'running', member: 'm2' }));
  expect(engine.places.get(id)).toBe('m2');
});

test('a member that has left the cluster is not marked when it joins again', async () => {
  await open.fleet.members.drain('m2');
  await untilDrained('m2');
  const [left] = engine.found.splice(1, 1);
  open.fleet.drains.resume();
  await vi.waitFor(() => expect(open.store.drains.list()).toEqual([]));
  if (left) engine.found.push(left);
  expect(await member('m2')).toMatchObject({ status: 'online', drain: null });
});

test('no member is taken for removed while the cluster lists none', async () => {
  await open.fleet.members.drain('m2');
  await untilDrained('m2');
  const found = engine.found.splice(0);
  const asked = vi.spyOn(engine, 'memberStates');
  open.fleet.drains.resume();
  await vi.waitFor(() => expect(asked).toHaveBeenCalled());
  engine.found.push(...found);
  await vi.waitFor(() => expect(asked.mock.settledResults.at(-1)?.type).toBe('fulfilled'));
  await new Promise(setImmediate);
  expect((await member('m2')).status).toBe('drained');
});

test('a move that hangs does not keep other members from being drained', async () => {
  engine.found.push({ ...engine.found[1], name: 'm4' } as (typeof engine.found)[number]);
  const [first, second] = [
    await create('first', { member: 'm1' }),
    await create('second', { member: 'm2' }),
  ];
  const { passed, open: pass } = gate();
  engine.gates.set('move', passed);
  await open.fleet.members.drain('m1');
  await vi.waitFor(() => expect(engine.calls).toContain(`move ${first}`));
  await open.fleet.members.drain('m2');
  await untilDrained('m2');
  expect(row(second)?.member).toBe('m4');
  expect((await member('m1')).drain?.moving).toBe(first);
  pass();
  await untilDrained('m1');
});

const volume = async (name: string) => {
  await open.fleet.volumes.create(owner().id, { name });
  return open.store.volumes.list(owner().id).find((each) => each.name === name)?.member;
};

test('volumes of an owner are on one member, where computers that mount them are created', async () => {
  await create('busy', { member: 'm1' });
  expect(await volume('data')).toBe('m2');
  await create('first', { member: 'm2' });
  await create('second', { member: 'm2' });
  expect(await volume('more')).toBe('m2');
  expect([...engine.volumes.values()]).toEqual(['m2', 'm2']);
  expect(row(await create('a', { volumes: ['data:/data', 'more:/more'] }))?.member).toBe('m2');
  expect(row(await create('b', { volumes: ['data:/data'], member: 'm2' }))?.member).toBe('m2');
  await expect(create('c', { volumes: ['data:/data'], member: 'm1' })).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'The volume "data" is on the cluster member "m2": a computer that mounts it is too.',
    remedy: 'Leave out "m1".',
  });
  await expect(create('c', { volumes: ['data:/data'], group: 'fast' })).rejects.toMatchObject({
    remedy: 'Leave out the group "fast".',
  });
});

test('a drain leaves computers with volumes, and new volumes are on another member', async () => {
  expect(await volume('data')).toBe('m1');
  const [mounts, plain] = [
    await create('mounts', { volumes: ['data:/data'] }),
    await create('plain', { member: 'm1' }),
  ];
  await open.fleet.members.drain('m1');
  await vi.waitFor(() => expect(row(plain)?.member).toBe('m2'));
  await vi.waitFor(async () =>
    expect((await member('m1')).drain?.failed).toEqual([
      { id: mounts, error: 'It mounts volumes, which are on this member only.' },
    ]),
  );
  expect(row(mounts)).toMatchObject({ status: 'running', member: 'm1' });
  await expect(create('late', { volumes: ['data:/data'] })).rejects.toMatchObject({
    message: 'The cluster member "m1" is drained.',
  });
  expect(await volume('more')).toBe('m2');
  await open.fleet.members.return('m1');
  await expect(create('both', { volumes: ['data:/a', 'more:/b'] })).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'The volume "data" is on the cluster member "m1", and "more" on "m2".',
  });
  await open.fleet.members.drain('m1');
  await open.fleet.members.drain('m2');
  await expect(open.fleet.volumes.create(owner().id, { name: 'none' })).rejects.toMatchObject({
    message: 'No member of the cluster takes new volumes.',
  });
});
