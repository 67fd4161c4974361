import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import { CreateComputer } from '../../../src/contract/resources.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';
import { FakeClusteredEngine } from '../../support/memory-engine/clustered-engine.js';

let engine: FakeClusteredEngine;
let open: TestFleet;
let id: string;
beforeEach(async () => {
  engine = new FakeClusteredEngine();
  open = await openTestFleet({ engine });
  const owner = open.fleet.apiKeys.authenticate(open.key);
  if (owner === undefined) throw new Error('the key is not known');
  open.fleet.projects.create(owner, 'demo');
  const project = open.fleet.projects.find(owner, 'demo');
  const input = CreateComputer.parse({ name: 'one', member: 'm1' });
  ({ id } = await open.fleet.computers.create(owner, project, input, 'ready'));
});
afterEach(() => open.close());

const row = () => open.store.computers.findById(id);

/** Starts the service again, and waits until it has listed the machines. */
async function restarted(): Promise<void> {
  const list = vi.spyOn(engine, 'list');
  open = await open.restart();
  await vi.waitFor(() => expect(list.mock.settledResults.length).toBeGreaterThan(0));
  await vi.waitFor(() => expect(open.fleet.members).toBeDefined());
}

test('a computer that is being moved is not lost, and has its new member afterwards', async () => {
  engine.moving.add(id);
  engine.emit({ id, status: 'unreachable', reason: 'it is being moved' });
  const unlisted = vi.spyOn(engine, 'unlisted');
  await restarted();
  await vi.waitFor(() => expect(unlisted).toHaveBeenCalledWith([id], expect.anything()));
  expect(row()).toMatchObject({ status: 'running', member: 'm1' });

  engine.moving.delete(id);
  engine.places.set(id, 'm2');
  engine.emit({ id, status: 'running', member: 'm2' });
  await vi.waitFor(() => expect(row()).toMatchObject({ status: 'running', member: 'm2' }));
});

test('the deletion of one that has only the copy of an interrupted move is tried again', async () => {
  engine.failures.set('remove', new ApiError('engine_unavailable', 'It is being moved.'));
  const { computers } = open.fleet;
  const record = row();
  if (record === undefined) throw new Error('the computer is gone');
  await expect(computers.remove(record)).rejects.toThrow('It is being moved.');
  engine.failures.clear();
  engine.emit({ id, status: 'unreachable' });
  await new Promise(setImmediate);
  expect(row()?.status).toBe('deleting');
  engine.emit({ id, status: 'unreachable', isMoving: true });
  await vi.waitFor(() => expect(row()).toBeUndefined());
});

test('one that is neither listed nor moved is lost', async () => {
  engine.machines.delete(id);
  await restarted();
  await vi.waitFor(() => expect(row()?.status).toBe('error'));
  expect(row()?.status_reason).toContain('its disk is lost');
});
