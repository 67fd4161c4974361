import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { readyPlace } from '../../../src/fleet/lifecycle/ready-places.js';

it('lets 16 machines at once wait for their first frame, each for a second before the next', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const leaves: (() => void)[] = [];
  try {
    const enter = (signal = new AbortController().signal) =>
      readyPlace(signal).then((leave) => leaves.push(leave));
    const entering = Array.from({ length: 40 }, () => enter());
    await turn();
    expect(leaves).toHaveLength(16);
    // One that is stopped while it waits takes no place later.
    const stopped = new AbortController();
    const refused = expect(enter(stopped.signal)).rejects.toThrow('stopped');
    stopped.abort(new Error('stopped'));
    await refused;
    leaves[0]?.();
    leaves[0]?.();
    await turn();
    expect(leaves).toHaveLength(17);
    vi.advanceTimersByTime(1_000);
    await turn();
    expect(leaves).toHaveLength(33);
    vi.advanceTimersByTime(1_000);
    await Promise.all(entering);
    for (const leave of leaves) leave();
    await Promise.all(Array.from({ length: 16 }, () => enter()));
    expect(leaves).toHaveLength(56);
  } finally {
    vi.useRealTimers();
    // Other files of this process start machines, too.
    for (const leave of leaves) leave();
  }
});
