import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CreateComputer } from '../../../src/contract/resources.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { FakeEngine } from '../../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';

let test: TestFleet;
let owner: Owner;

beforeEach(async () => {
  test = await openTestFleet({ engine: new FakeEngine(), maxRunning: 9 });
  owner = test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  test.fleet.projects.create(owner, 'demo');
  for (const name of ['one', 'two']) {
    const project = test.fleet.projects.find(owner, 'demo');
    await test.fleet.computers.create(owner, project, CreateComputer.parse({ name }), 'ready');
  }
  vi.useFakeTimers({ now: Date.parse('2026-11-29T12:00:00Z') });
});
afterEach(async () => {
  vi.useRealTimers();
  await test.close();
});

const record = (name: string) => test.fleet.computers.find(owner, { project: 'demo', name });
const history = (name: string) => test.fleet.usageHistory.of(record(name));

/** Measures all computers, and answers `ms` later. */
async function round(ms = 30_000, signal = new AbortController().signal): Promise<void> {
  const done = test.fleet.usageHistory.measure(test.engine, signal);
  await vi.advanceTimersByTimeAsync(ms);
  await done;
}

it('samples have the load since the sample before, and memory', async () => {
  await round();
  test.engine.used.cpuSeconds += 15;
  await round();
  expect(history('one')).toEqual({
    ...{ id: record('one').id, cpu: 2, memory_total_bytes: 2 ** 31, disk_used_bytes: 4e6 },
    used_at: expect.stringMatching(/^2026-11-29T12:0/),
    samples: [
      { at: '2026-11-29T12:00:00.500Z', cpu_percent: 0, memory_used_bytes: 3e8 },
      { at: '2026-11-29T12:00:30.000Z', cpu_percent: 50.8, memory_used_bytes: 3e8 },
    ],
  });
});

it('an hour is kept', async () => {
  for (let count = 0; count < 130; count += 1) await round();
  expect(history('one').samples).toHaveLength(120);
  vi.setSystemTime(Date.now() + 30 * 60_000);
  expect(history('one').samples).toHaveLength(60);
});

it('a deleted computer is forgotten, also if it was deleted while it was measured', async () => {
  await round();
  const [one, two] = [record('one'), record('two')];
  await test.fleet.computers.remove(one);
  const done = round();
  await test.fleet.computers.remove(two);
  await done;
  for (const gone of [one, two]) expect(test.fleet.usageHistory.of(gone).samples).toEqual([]);
});

it('computers that are stopped or do not answer have no sample, and others do not wait long', async () => {
  await test.fleet.computers.stop(record('one'));
  await round();
  expect([history('one').samples.length, history('two').samples.length]).toEqual([0, 1]);
  await test.fleet.computers.start(record('one'), 'no');
  await vi.advanceTimersByTimeAsync(30_000);
  const measure = test.engine.usage.bind(test.engine);
  const frozen = record('two').id;
  test.engine.usage = (id) => (id === frozen ? new Promise(() => {}) : measure(id));
  await round(5_000);
  expect([history('one').samples.length, history('two').samples.length]).toEqual([1, 1]);
});

it('a round begins only when the last one has ended, and ends with the service', async () => {
  const usage = vi.spyOn(test.engine, 'usage').mockReturnValue(new Promise(() => {}));
  const stopping = new AbortController();
  const first = round(0, stopping.signal);
  await round(0);
  expect(usage).toHaveBeenCalledTimes(2);
  stopping.abort();
  await first;
  expect(history('one').samples).toEqual([]);
  usage.mockRestore();
  await round(10_000);
  expect(history('one').samples).toHaveLength(1);
});

it('disks take 1 % of the time, the one measured longest ago first', async () => {
  const asked: string[] = [];
  test.engine.diskUsage = async (id) => {
    asked.push(id);
    await new Promise((resolve) => setTimeout(resolve, 800));
    return { diskBytes: 7 };
  };
  for (let count = 0; count < 7; count += 1) await round();
  const [one, two] = [record('one').id, record('two').id];
  expect(asked).toEqual([one, two, one]);
  expect(history('two').disk_used_bytes).toBe(7);
});

it('the service measures computers by itself', async () => {
  vi.useRealTimers();
  test = await test.restart();
  await vi.waitFor(() => expect(history('one').samples).toHaveLength(1), 10_000);
});
