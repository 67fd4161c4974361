import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import { ComputersQuery, CreateComputer, UpdateComputer } from '../../../src/contract/resources.js';
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
const create = (name: string, settings: object = {}) => {
  const input = CreateComputer.parse({ name, ...settings });
  return test.fleet.computers.create(owner, project(), input, 'ready');
};
const update = (id: string, change: object) =>
  test.fleet.computers.update(test.fleet.computers.find(owner, { id }), change);

it('merges labels: null removes one, and removing what is not there is no error', async () => {
  const { id, labels } = await create('desk', { labels: { team: 'qa', stage: 'test' } });
  expect(labels).toEqual({ team: 'qa', stage: 'test' });
  const change = { labels: { team: null, stage: 'live', more: '', absent: null } };
  expect((await update(id, change)).labels).toEqual({ stage: 'live', more: '' });
  const many = Array.from({ length: 31 }, (_, at) => [`k${at}`, 'v']);
  await expect(update(id, { labels: Object.fromEntries(many) })).rejects.toThrow(
    'A computer has at most 32 labels, and these are 33.',
  );
  expect(test.fleet.computers.view(id).labels).toEqual({ stage: 'live', more: '' });
});

it('selects computers by all of the labels, by engine and by image', async () => {
  await create('one', { labels: { team: 'qa', stage: 'test' } });
  await create('two', { labels: { team: 'qa' } });
  const names = (label: string[], more: object = {}) => {
    const filter = { label, ...more };
    const page = test.fleet.computers.page(owner, ComputersQuery.parse(filter));
    const listed = test.fleet.computers.list(project(), filter);
    expect(page.computers).toEqual(listed);
    return listed.map(({ name }) => name);
  };
  expect(names(['team=qa'])).toEqual(['one', 'two']);
  expect(names(['team=qa', 'stage=test'])).toEqual(['one']);
  expect(names(['stage'])).toEqual(['one']);
  expect(names(['team=q'])).toEqual([]);
  expect(names(['team='])).toEqual([]);
  expect(names(['TEAM=qa'])).toEqual([]);
  const [one] = test.fleet.computers.list(project());
  expect(names([], { engine: one?.engine, image: one?.image })).toEqual(['one', 'two']);
  expect(names([], { engine: 'none' })).toEqual([]);
  expect(names(['team=qa'], { image: 'none' })).toEqual([]);
});

it('on_idle "delete" needs auto_stop_minutes, and ends with them', async () => {
  const needs = 'on_idle "delete" needs auto_stop_minutes.';
  await expect(create('desk', { on_idle: 'delete' })).rejects.toThrow(needs);
  expect(test.fleet.computers.list(project())).toEqual([]);
  const { id } = await create('desk');
  await expect(update(id, { on_idle: 'delete' })).rejects.toThrow(needs);
  const both = { on_idle: 'delete', auto_stop_minutes: 5 };
  expect(await update(id, both)).toMatchObject(both);
  expect(await update(id, { auto_stop_minutes: null })).toMatchObject({ on_idle: 'stop' });
});

it('expires_at is within 365 days from now; null removes it', async () => {
  const { id, created_at, expires_at } = await create('desk', { expires_in: 3600 });
  const after = Date.parse(expires_at ?? '') - Date.parse(created_at);
  expect(Math.abs(after - 3_600_000)).toBeLessThan(60_000);
  await expect(update(id, { expires_at: '2020-01-01T00:00:00Z' })).rejects.toThrow(
    'must be in the future',
  );
  const late = new Date(Date.now() + 366 * 86_400_000).toISOString();
  await expect(update(id, { expires_at: late })).rejects.toThrow('at most 365 days from now');
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  expect((await update(id, { expires_at: tomorrow })).expires_at).toBe(tomorrow);
  expect((await update(id, { expires_at: null })).expires_at).toBeNull();
});

it('a stopped computer names the key that stopped it', async () => {
  const { id } = await create('desk');
  const record = () => test.fleet.computers.find(owner, { id });
  await test.fleet.computers.stop(record(), owner);
  const name = JSON.stringify(test.fleet.apiKeys.nameOf(owner));
  expect(test.fleet.computers.view(id)).toMatchObject({
    status: 'stopped',
    status_reason: `Key ${name} stopped it.`,
  });
  // The engine's report about the stopped machine does not replace it.
  test.engine.emit({ id, status: 'stopped', reason: 'It was killed outside of this service.' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(test.fleet.computers.view(id).status_reason).toBe(`Key ${name} stopped it.`);
  await test.fleet.computers.start(record());
  expect(test.fleet.computers.view(id)).not.toHaveProperty('status_reason');
  await test.fleet.computers.stop(record(), { ...owner, sessionId: 'ses_1' });
  expect(test.fleet.computers.view(id).status_reason).toBe(`Key ${name} stopped it on the page.`);
});

it('a computer whose machine ended says so', async () => {
  const one = await create('one');
  const two = await create('two');
  const killed = 'It was killed outside of this service.';
  test.engine.emit({ id: one.id, status: 'stopped', reason: killed });
  test.engine.emit({ id: two.id, status: 'stopped' });
  await expect.poll(() => test.fleet.computers.view(two.id).status).toBe('stopped');
  expect(test.fleet.computers.view(one.id).status_reason).toBe(killed);
  expect(test.fleet.computers.view(two.id).status_reason).toBe(
    'It was shut down, or stopped outside of this service.',
  );
});

describe('a new size', () => {
  const change = async (id: string, input: object) => {
    update(id, UpdateComputer.parse(input));
    return test.fleet.computers.resize(test.fleet.computers.find(owner, { id }), signal);
  };
  const size = (id: string) => {
    const { cpu, ram, resolution } = test.engine.machines.get(id)?.spec ?? {};
    return { cpu, ram, resolution };
  };
  const restart = (id: string) =>
    test.fleet.computers.restart(test.fleet.computers.find(owner, { id }));
  const { signal } = new AbortController();
  const larger = { cpu: 4, ram: 4, resolution: '1920x1080' };
  const resolution = { width: 1920, height: 1080 };

  it('is there at once where the engine and the screen take it', async () => {
    const { id } = await create('desk');
    const changed = await change(id, larger);
    expect(changed).toMatchObject({ ...larger, resolution });
    expect(changed).not.toHaveProperty('pending');
    expect(size(id)).toMatchObject({ cpu: 4, ram: 4 });
    expect(test.connectors.screens.at(-1)?.size).toEqual(resolution);
  });

  it('waits for the next start where they do not, and after a restart of the service', async () => {
    const { id } = await create('desk');
    test.engine.resizes = false;
    for (const screen of test.connectors.screens) screen.resizes = false;
    expect((await change(id, larger)).pending).toEqual(['cpu', 'ram', 'resolution']);
    expect(size(id)).toMatchObject({ cpu: 2, ram: 2 });
    // What it has already does not wait.
    expect((await change(id, { cpu: 2, resolution: '1280x800' })).pending).toEqual(['ram']);
    await change(id, larger);
    test = await test.restart();
    expect(test.fleet.computers.view(id).pending).toEqual(['cpu', 'ram', 'resolution']);
    await restart(id);
    expect(test.fleet.computers.view(id)).not.toHaveProperty('pending');
    expect(size(id)).toEqual({ ...larger, resolution });
    expect(test.connectors.screens.at(-1)?.size).toEqual(resolution);
  });

  it('waits for the next start if it is less memory, or if the engine fails', async () => {
    const { id } = await create('desk', { ram: 8 });
    expect((await change(id, { cpu: 4, ram: 2 })).pending).toEqual(['ram']);
    expect(size(id)).toMatchObject({ cpu: 4, ram: 8 });
    test.engine.failures.set('resize', new ApiError('engine_unavailable', 'away'));
    expect((await change(id, { cpu: 8 })).pending).toEqual(['cpu', 'ram']);
    test.engine.failures.clear();
    await restart(id);
    expect(size(id)).toMatchObject({ cpu: 8, ram: 2 });
  });

  it('of a stopped computer is there when it has started', async () => {
    const { id } = await create('desk');
    await test.fleet.computers.stop(test.fleet.computers.find(owner, { id }));
    expect((await change(id, larger)).pending).toEqual(['cpu', 'ram', 'resolution']);
    await test.fleet.computers.start(test.fleet.computers.find(owner, { id }));
    expect(size(id)).toEqual({ ...larger, resolution });
    expect(test.fleet.computers.view(id)).not.toHaveProperty('pending');
  });

  it.each([
    [{ cpu: 3 }, 'cpu'],
    [{ cpu: 0 }, 'cpu'],
    [{ cpu: '4' }, 'cpu'],
    [{ ram: 2.5 }, 'ram'],
    [{ ram: 1024 }, 'ram'],
    [{ resolution: '100x100' }, 'resolution'],
    [{ resolution: '9999x9999' }, 'resolution'],
    [{ resolution: null }, 'resolution'],
  ])('%j is refused', (input, field) => {
    expect(UpdateComputer.safeParse(input).error?.issues[0]?.path[0]).toBe(field);
  });
});
