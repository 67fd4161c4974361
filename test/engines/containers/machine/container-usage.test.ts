import { expect, it } from 'vitest';
import { readStats } from '../../../../src/engines/containers/machine/container-usage.js';

const cpu_stats = { cpu_usage: { total_usage: 3_530_248_800 } };

it.each([
  ['cgroup 1', { total_inactive_file: 500, inactive_file: 9 }],
  ['cgroup 2', { inactive_file: 500 }],
])('memory is counted without the page cache: %s', (_, stats) => {
  const memory_stats = { usage: 149_090_304, stats };
  expect(readStats({ cpu_stats, memory_stats })).toEqual({
    cpuSeconds: 3.5302488,
    memoryBytes: 149_089_804,
  });
});

it('a container that has just exited has zero usage', () => {
  const nothing = { cpuSeconds: 0, memoryBytes: 0 };
  expect(readStats({})).toEqual(nothing);
  expect(readStats({ cpu_stats: {}, memory_stats: {} })).toEqual(nothing);
  const memory_stats = { usage: 1, stats: { inactive_file: 5 } };
  expect(readStats({ memory_stats }).memoryBytes).toBe(0);
});
