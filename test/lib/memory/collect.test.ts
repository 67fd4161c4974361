import { expect, it, vi } from 'vitest';

const MIB = 1024 * 1024;
const held = () => process.memoryUsage().arrayBuffers / MIB;

function allocate(): number {
  const buffers = Array.from({ length: 32 }, () => Buffer.alloc(4 * MIB));
  return buffers.length;
}

it('frees the memory of buffers that nothing holds any more', async () => {
  // Its own module: other files of this process may have collected a moment ago.
  vi.resetModules();
  const { collectSoon } = await import('../../../src/lib/memory/collect.js');
  const before = held();
  vi.useFakeTimers();
  try {
    expect(allocate()).toBe(32);
    collectSoon();
    collectSoon();
    // A collection frees what was unreachable before it began.
    await vi.advanceTimersByTimeAsync(5_000);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
  await expect.poll(held).toBeLessThan(before + 64);
});
