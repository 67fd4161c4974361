import { expect, it } from 'vitest';
import { identifyProcess } from '../../../src/lib/process/identity.js';
import { processUsage } from '../../../src/lib/process/process-usage.js';

async function own() {
  const identity = await identifyProcess(process.pid);
  if (identity === undefined) throw new Error('this process does not run');
  return identity;
}

it('measures the processor time and memory of a process', async () => {
  const before = await processUsage(await own());
  const { user, system } = process.cpuUsage();
  for (const end = performance.now() + 100; performance.now() < end; ) Math.random();
  const after = await processUsage(await own());
  expect(Math.abs((after?.cpuSeconds ?? 0) - (user + system) / 1e6)).toBeLessThan(2);
  expect(after?.cpuSeconds).toBeGreaterThanOrEqual(before?.cpuSeconds ?? Number.NaN);
  const resident = process.memoryUsage.rss();
  expect(after?.residentBytes).toBeGreaterThan(resident / 2);
  expect(after?.residentBytes).toBeLessThan(resident * 2);
});

it('does not measure another process with a reused id', async () => {
  const { startTime, ...identity } = await own();
  expect(await processUsage({ ...identity, startTime: startTime - 1 })).toBeUndefined();
  expect(await processUsage({ ...identity, startTime, pid: 4_194_305 })).toBeUndefined();
});
