// @module-tag slow
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CreateComputer } from '../../../src/contract/resources.js';
import { allRights, openTestFleet, type TestFleet } from '../../support/fleet.js';
import { promise } from '../../support/run/promise.js';

let test: TestFleet;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] });
  test = await openTestFleet();
});
afterEach(async () => {
  vi.useRealTimers();
  await test.close();
});

it('stops an idle computer, with an audit entry of the service', async () => {
  const { fleet } = test;
  const owner = fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  fleet.projects.create(owner, 'demo');
  const project = fleet.projects.find(owner, 'demo');
  const input = CreateComputer.parse({ name: 'desk', auto_stop_minutes: 1 });
  const { id } = await fleet.computers.create(owner, project, input, 'ready');
  vi.advanceTimersByTime(45_000);
  expect(fleet.computers.view(id).status).toBe('running');
  vi.advanceTimersByTime(30_000);
  await vi.waitFor(() =>
    expect(fleet.auditLog.list({ id, owner_id: owner.id }, { limit: 9 })).toHaveLength(1),
  );
  expect(fleet.computers.view(id).status).toBe('stopped');
  const step = { action: 'autoStop', key_id: 'service', outcome: 'ok' };
  expect(fleet.auditLog.list({ id, owner_id: owner.id }, { limit: 9 })).toMatchObject([step]);
});

it('stops the computers of a key whose hours are used up, and starts them with more', async () => {
  const { fleet } = test;
  const owner = fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  const { id: keyId, key } = fleet.keys.create(owner, { ...allRights('agent'), max_hours: 1 });
  const agent = fleet.apiKeys.authenticate(key) ?? owner;
  fleet.projects.create(owner, 'demo');
  const project = fleet.projects.find(owner, 'demo');
  const create = (by: typeof owner, name: string) =>
    fleet.computers.create(by, project, CreateComputer.parse({ name }), 'ready');
  const { id } = await create(agent, 'desk');
  const { id: other } = await create(owner, 'other');
  vi.advanceTimersByTime(59 * 60_000);
  expect(fleet.computers.view(id).status).toBe('running');
  vi.advanceTimersByTime(2 * 60_000);
  await vi.waitFor(() => expect(fleet.computers.view(id).status).toBe('stopped'));
  expect(fleet.computers.view(id).status_reason).toMatch(/budget of hours/);
  expect(fleet.computers.view(other).status).toBe('running');
  await vi.waitFor(() =>
    expect(fleet.auditLog.list({ id, owner_id: owner.id }, { limit: 9 })).toMatchObject([
      { action: 'budgetStop', key_id: 'service', outcome: 'ok' },
    ]),
  );
  const start = () => fleet.computers.start(fleet.computers.find(owner, { id }));
  const refused = { code: 'limit_reached', message: expect.stringMatching(/"agent".*of 1 hours/) };
  await expect(start()).rejects.toMatchObject(refused);
  await expect(create(agent, 'more')).rejects.toMatchObject(refused);
  fleet.keys.update(owner, keyId, { max_hours: 2 });
  expect((await start()).status).toBe('running');
});

promise(30, 'a jump of the clock by a year stops no computer in use', async (report) => {
  const { fleet } = test;
  const owner = fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  fleet.projects.create(owner, 'demo');
  const project = fleet.projects.find(owner, 'demo');
  const input = CreateComputer.parse({ name: 'desk', auto_stop_minutes: 1 });
  const { id } = await fleet.computers.create(owner, project, input, 'ready');
  vi.setSystemTime(Date.now() + 365 * 24 * 3_600_000);
  vi.advanceTimersByTime(15_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(fleet.computers.view(id).status).toBe('running');
  vi.setSystemTime(Date.now() - 2 * 365 * 24 * 3_600_000);
  vi.advanceTimersByTime(60_000);
  await vi.waitFor(() => expect(fleet.computers.view(id).status).toBe('stopped'));
  report('auto-stop with the clock a year ahead and back');
});

it('keeps running while the disk is full, and stops the computer when there is space', async () => {
  const { fleet, store } = test;
  const owner = fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  fleet.projects.create(owner, 'demo');
  const project = fleet.projects.find(owner, 'demo');
  const input = CreateComputer.parse({ name: 'desk', auto_stop_minutes: 1 });
  const { id } = await fleet.computers.create(owner, project, input, 'ready');
  const rejections: unknown[] = [];
  const note = (reason: unknown) => void rejections.push(reason);
  process.on('unhandledRejection', note);
  const writing = vi.spyOn(store.computers, 'change').mockImplementation(() => {
    throw new Error('database or disk is full');
  });
  try {
    vi.advanceTimersByTime(75_000);
    await vi.waitFor(() => expect(writing).toHaveBeenCalled());
    // Unhandled rejections are reported after all due work.
    await new Promise((resolve) => setImmediate(resolve));
    expect(rejections).toEqual([]);
    expect(fleet.computers.view(id).status).toBe('running');
    writing.mockRestore();
    vi.advanceTimersByTime(15_000);
    await vi.waitFor(() => expect(fleet.computers.view(id).status).toBe('stopped'));
  } finally {
    process.off('unhandledRejection', note);
  }
});
