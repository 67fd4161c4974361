import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import { CreateComputer } from '../../../src/contract/resources.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';

let test: TestFleet;
let owner: Owner;

beforeEach(async () => {
  test = await openTestFleet();
  owner = test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  test.fleet.projects.create(owner, 'demo');
});
afterEach(() => test.close());

const project = () => test.fleet.projects.find(owner, 'demo');
const create = (name: string, wait: 'ready' | 'no' = 'ready') =>
  test.fleet.computers.create(owner, project(), CreateComputer.parse({ name }), wait);
const record = (name: string) => test.fleet.computers.find(owner, { project: 'demo', name });
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error) => (error instanceof ApiError ? error.code : String(error)),
  );

function gate(): { promise: Promise<void>; open: () => void } {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

describe('limits and names', () => {
  it('as many of twenty concurrent creations run as the limit allows', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => refusal(create(`c${i}`))),
    );
    expect(results.filter((result) => result === 'done')).toHaveLength(2);
    expect(results.filter((result) => result === 'limit_reached')).toHaveLength(18);
    expect(test.engine.machines.size).toBe(2);
  });

  it('exactly one of fifty creations with the same name succeeds', async () => {
    const results = await Promise.all(Array.from({ length: 50 }, () => refusal(create('same'))));
    expect(results.filter((result) => result === 'done')).toHaveLength(1);
    expect(results.filter((result) => result === 'name_taken')).toHaveLength(49);
    expect(test.engine.machines.size).toBe(1);
  });

  it('a stopped computer does not count until it is started again', async () => {
    await create('one');
    await create('two');
    await test.fleet.computers.stop(record('one'));
    await create('three');
    expect(await refusal(test.fleet.computers.start(record('one')))).toBe('limit_reached');
    expect(record('one').status).toBe('stopped');
  });
});

describe('a failed creation', () => {
  it('leaves neither a row nor a machine', async () => {
    test.engine.failures.set('start', new ApiError('internal', 'no room'));
    expect(await refusal(create('broken'))).toBe('internal');
    test.engine.failures.clear();
    expect(test.fleet.computers.list(project())).toEqual([]);
    expect(test.engine.machines.size).toBe(0);
  });

  it('names the build command when the image is missing, and changes nothing', async () => {
    vi.spyOn(test.engine, 'images').mockResolvedValue([]);
    await expect(create('broken')).rejects.toMatchObject({
      code: 'image_missing',
      remedy: expect.stringContaining('vc image build linux --engine '),
    });
    expect(test.engine.calls).toEqual([]);
  });
});

describe('concurrent steps', () => {
  it('deletes a computer that is starting', async () => {
    const { promise, open } = gate();
    test.engine.gates.set('start', promise);
    const created = refusal(create('one'));
    await vi.waitFor(() => expect(test.engine.calls.some((c) => c.startsWith('start'))).toBe(true));
    const removed = test.fleet.computers.remove(record('one'));
    open();
    await removed;
    expect(await created).toBe('conflict');
    expect(test.engine.machines.size).toBe(0);
    expect(test.fleet.computers.list(project())).toEqual([]);
  });

  it('refuses to start a computer that is being deleted', async () => {
    await create('one');
    const { promise, open } = gate();
    test.engine.gates.set('remove', promise);
    const one = record('one');
    const removed = test.fleet.computers.remove(one);
    expect(await refusal(test.fleet.computers.start(one))).toBe('conflict');
    open();
    await removed;
    expect(test.engine.machines.size).toBe(0);
  });

  it('starting, stopping and deleting are idempotent when requested twice at once', async () => {
    await create('one');
    const one = record('one');
    await Promise.all([test.fleet.computers.stop(one), test.fleet.computers.stop(one)]);
    expect(record('one').status).toBe('stopped');
    await Promise.all([test.fleet.computers.start(one), test.fleet.computers.start(one)]);
    expect(record('one').status).toBe('running');
    await Promise.all([test.fleet.computers.remove(one), test.fleet.computers.remove(one)]);
    expect(test.engine.machines.size).toBe(0);
  });
});

describe('a creation with wait', () => {
  it('keeps the computer when it is stopped meanwhile', async () => {
    const { promise, open } = gate();
    test.engine.gates.set('start', promise);
    const created = refusal(create('one'));
    await vi.waitFor(() => expect(test.engine.calls.some((c) => c.startsWith('start'))).toBe(true));
    const stopped = test.fleet.computers.stop(record('one'));
    open();
    expect((await stopped).status).toBe('stopped');
    expect(await created).toBe('conflict');
    expect(record('one').status).toBe('stopped');
  });

  it('is not undone by a list of machines from before the creation', async () => {
    const one = await create('one');
    await test.fleet.computers.stop(record('one'));
    const { promise, open } = gate();
    test.engine.gates.set('list', promise);
    test = await test.restart();
    await vi.waitFor(() => expect(test.engine.gates.has('list')).toBe(false));
    await test.fleet.computers.start(record('one'));
    open();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(test.fleet.computers.view(one.id).status).toBe('running');
  });
});

describe('an engine report about a machine that is being started', () => {
  /** A start that waits for the screen, and a report that arrives meanwhile. */
  const startDuringReport = async (change: (id: string) => void) => {
    const one = await create('one');
    await test.fleet.computers.stop(record('one'));
    const { promise, open } = gate();
    const dial = test.engine.dial.bind(test.engine);
    const opening = vi.spyOn(test.engine, 'dial').mockImplementation(async () => {
      await promise;
      return dial();
    });
    const starting = refusal(test.fleet.computers.start(record('one')));
    await vi.waitFor(() => expect(opening).toHaveBeenCalled());
    change(one.id);
    const listed = vi.spyOn(test.engine, 'list');
    test.engine.emit({ id: one.id, status: 'stopped' });
    await vi.waitFor(() => expect(listed).toHaveBeenCalled());
    await listed.mock.results[0]?.value;
    open();
    return starting;
  };

  it('is ignored if it is older than the start', async () => {
    expect(await startDuringReport(() => undefined)).toBe('done');
    expect(record('one').status).toBe('running');
  });

  it('fails the start if the machine has ended', async () => {
    const ended = (id: string) => {
      const machine = test.engine.machines.get(id);
      if (machine) machine.status = 'stopped';
    };
    expect(await startDuringReport(ended)).toBe('guest_failed');
    expect(record('one').status_reason).toContain('ended while it was starting');
  });
});

describe('a protected computer', () => {
  const input = { name: 'one', protected: true } as const;

  it('cannot be deleted, nor can its project, until its protection is removed', async () => {
    await create('one');
    test.fleet.computers.update(record('one'), { protected: true });
    expect(await refusal(test.fleet.computers.remove(record('one')))).toBe('conflict');
    expect(await refusal(test.fleet.projects.remove(owner, project().name))).toBe('conflict');
    expect(project().deleting).toBe(0);
    test.fleet.computers.update(record('one'), { protected: false });
    await test.fleet.computers.remove(record('one'));
    expect(test.engine.machines.size).toBe(0);
  });

  it('keeps its protection in an update without that field', async () => {
    await create('one');
    test.fleet.computers.update(record('one'), { ...input, auto_stop_minutes: 7 });
    const renamed = await test.fleet.computers.update(record('one'), { name: 'uno' });
    expect(renamed).toMatchObject({ name: 'uno', protected: true, auto_stop_minutes: 7 });
    await create('two');
    const taken = test.fleet.computers.update(record('two'), { name: 'uno' });
    await expect(taken).rejects.toThrow('already');
  });
});

describe('after a restart', () => {
  it('finishes an interrupted deletion', async () => {
    await create('one');
    test.engine.failures.set('remove', new ApiError('engine_unavailable', 'away'));
    await refusal(test.fleet.computers.remove(record('one')));
    expect(record('one').status).toBe('deleting');
    test.engine.failures.clear();
    test = await test.restart();
    await vi.waitFor(() => expect(test.fleet.computers.list(project())).toEqual([]));
    expect(test.engine.machines.size).toBe(0);
  });

  it('finishes an interrupted deletion of a project as soon as its computers are removed', async () => {
    await create('one');
    await create('two');
    test.engine.failures.set('remove', new ApiError('engine_unavailable', 'away'));
    await refusal(test.fleet.projects.remove(owner, 'demo'));
    test.engine.failures.clear();
    test = await test.restart();
    await vi.waitFor(() => expect(test.fleet.projects.list(owner)).toEqual([]));
    expect(test.engine.machines.size).toBe(0);
  });

  it('finishes an interrupted start when the engine is back', async () => {
    await create('one');
    await test.fleet.computers.stop(record('one'));
    test.engine.failures.set('start', new ApiError('engine_unavailable', 'away'));
    expect(await refusal(test.fleet.computers.start(record('one')))).toBe('engine_unavailable');
    test.engine.failures.clear();
    test = await test.restart();
    await vi.waitFor(() => expect(record('one').status).toBe('running'));
  });

  it('shows what happened to its machines meanwhile', async () => {
    const one = await create('one');
    const two = await create('two');
    const machine = test.engine.machines.get(one.id);
    if (machine) machine.status = 'stopped';
    test.engine.machines.delete(two.id);
    test = await test.restart();
    await vi.waitFor(() => expect(record('one').status).toBe('stopped'));
    await vi.waitFor(() => expect(record('two').status).toBe('error'));
    const lost = 'Its machine was removed outside vc, and its disk is lost.';
    const remedy = 'Remove the computer: vc rm demo/two';
    const reason = () => test.fleet.computers.view(two.id).status_reason;
    expect(reason()).toBe(`${lost} ${remedy}`);
    // Neither a start nor an action can bring it back.
    await expect(test.fleet.computers.start(record('two'))).rejects.toMatchObject({
      code: 'not_found',
      message: lost,
      remedy,
    });
    expect(reason()).toBe(`${lost} ${remedy}`);
    const { signal } = new AbortController();
    const moved = test.fleet.actions.perform(record('two'), 'move', { x: 1, y: 1 }, signal);
    await expect(moved).rejects.toMatchObject({
      code: 'not_running',
      message: `The computer "two" has the status error: ${lost}`,
      remedy,
    });
    await test.fleet.computers.remove(record('two'));
    expect(() => record('two')).toThrow('no computer');
  });

  it('removes a machine that no computer owns', async () => {
    const one = await create('one');
    const machine = test.engine.machines.get(one.id);
    if (machine) test.engine.machines.set('cmp_orphan', machine);
    test = await test.restart();
    await vi.waitFor(() => expect(test.engine.machines.has('cmp_orphan')).toBe(false));
    expect(test.engine.machines.has(one.id)).toBe(true);
  });
});

describe('changes made outside the service', () => {
  it('the status follows a machine that exited', async () => {
    const one = await create('one');
    await vi.waitFor(() => {
      test.engine.emit({ id: one.id, status: 'error', reason: 'Out of memory.' });
      expect(record('one').status).toBe('error');
    });
    expect(test.fleet.computers.view(one.id).status_reason).toBe('Out of memory.');
    const [entry] = test.fleet.auditLog.list(record('one'), { limit: 1 });
    expect(entry).toMatchObject({
      action: 'ended',
      key_id: 'service',
      detail: { status: 'error' },
    });
  });
});
