// @module-tag slow
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CreateComputer } from '../../../src/contract/resources.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { FakeEngine } from '../../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';

let test: TestFleet;
let owner: Owner;

async function open(engine = new FakeEngine()): Promise<void> {
  test = await openTestFleet({ engine });
  owner = test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  const { id } = test.fleet.projects.create(owner, 'demo');
  const project = test.fleet.projects.find(owner, id);
  const input = CreateComputer.parse({ name: 'one', ram: 4, cpu: 2 });
  await test.fleet.computers.create(owner, project, input, 'ready');
}

beforeEach(() => open());
afterEach(async () => {
  vi.useRealTimers();
  await test.close();
});

const record = () => test.fleet.computers.find(owner, { project: 'demo', name: 'one' });
const stats = () => test.fleet.usage.of(record());

/** Advances the clock while the computer uses that many seconds of processor time. */
async function after<T>(ms: number, cpuSeconds: number, work: Promise<T>): Promise<T> {
  await vi.advanceTimersByTimeAsync(ms / 2);
  test.engine.used.cpuSeconds += cpuSeconds;
  await vi.advanceTimersByTimeAsync(ms / 2);
  return work;
}

it('measures the load over half a second, then since the previous call', async () => {
  vi.useFakeTimers();
  const first = await after(500, 0.25, stats());
  expect(first).toEqual({
    at: expect.any(String),
    cpu_percent: 50,
    cpu_seconds: 1.25,
    cpu: 2,
    memory_used_bytes: 3e8,
    memory_total_bytes: 4 * 2 ** 30,
    disk_used_bytes: 4e6,
    disk_total_bytes: null,
  });
  await after(4000, 6, Promise.resolve());
  expect(await stats()).toMatchObject({ cpu_percent: 150, cpu_seconds: 7.25 });
  // Concurrent calls wait until half a second has passed.
  const both = Promise.all([stats(), stats()]);
  for (const { cpu_percent } of await after(500, 0.5, both)) expect(cpu_percent).toBe(100);
  // A previous call long ago is ignored.
  await after(61_000, 61, Promise.resolve());
  expect(await after(500, 0, stats())).toMatchObject({ cpu_percent: 0 });
});

it('a computer that was restarted between calls has a load of 0, not a negative one', async () => {
  vi.useFakeTimers();
  await after(500, 0, stats());
  test.engine.used.cpuSeconds = 0;
  expect(await after(1000, 0, stats())).toMatchObject({ cpu_percent: 0, cpu_seconds: 0 });
});

it('only a running computer is measured', async () => {
  await test.fleet.computers.stop(record());
  await expect(stats()).rejects.toMatchObject({
    code: 'not_running',
    message: 'The computer "one" is stopped; only a running one can be measured.',
  });
});

it('a request ends at once when its client disconnects', async () => {
  const leaving = new AbortController();
  const left = test.fleet.usage.of(record(), leaving.signal);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
});

it('an engine that cannot measure is reported', async () => {
  await test.close();
  await open(
    new Proxy(new FakeEngine(), { has: (target, name) => name !== 'usage' && name in target }),
  );
  await expect(stats()).rejects.toMatchObject({
    code: 'unsupported',
    message: 'The engine "docker" does not measure its computers.',
  });
});

it('calls at the same time share their measurement of the disk', async () => {
  let [atOnce, most] = [0, 0];
  test.engine.diskUsage = async () => {
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setTimeout(resolve, 5));
    atOnce -= 1;
    return { diskBytes: 1 };
  };
  const calls = Array.from({ length: 50 }, () => stats());
  for (const { cpu } of await Promise.all(calls)) expect(cpu).toBe(2);
  expect(most).toBe(1);
});
