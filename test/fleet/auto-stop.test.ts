import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CreateComputer } from '../../src/contract/resources.js';
import { openTestFleet, type TestFleet } from '../support/fleet.js';

let test: TestFleet;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  test = await openTestFleet();
});
afterEach(async () => {
  vi.useRealTimers();
  await test.close();
});

it('stops a computer that nobody uses, and the ledger says that the service did', async () => {
  const { fleet } = test;
  const owner = fleet.access.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  fleet.projects.create(owner, 'demo');
  const project = fleet.projects.find(owner, 'demo');
  const input = CreateComputer.parse({ name: 'desk', auto_stop_minutes: 1 });
  const { id } = await fleet.computers.create(owner, project, input, 'ready');
  vi.advanceTimersByTime(45_000);
  expect(fleet.computers.view(id).status).toBe('running');
  vi.advanceTimersByTime(30_000);
  await vi.waitFor(() => expect(fleet.ledger.list(id, { limit: 9 })).toHaveLength(1));
  expect(fleet.computers.view(id).status).toBe('stopped');
  const deed = { action: 'autoStop', key_id: 'service', outcome: 'ok' };
  expect(fleet.ledger.list(id, { limit: 9 })).toMatchObject([deed]);
});

it('goes on while the disk is full, and stops the computer when there is room', async () => {
  const { fleet, store } = test;
  const owner = fleet.access.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
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
    // What nobody waits for is told when all that is due has been done.
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
