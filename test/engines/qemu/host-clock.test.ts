import { expect, it } from 'vitest';
import { watchHostClock } from '../../../src/engines/qemu/host-clock.js';

it('reports that the host was suspended or its clock set, once, and no small correction', async () => {
  const stop = new AbortController();
  // What the wall clock is ahead of the monotonic one, at each look.
  const ahead = [0, 0, 40, 60_000, 60_000, 60_030, 57_000, 57_000];
  const jumps: number[] = [];
  let look = -1;
  const clocks = {
    wall: () => {
      look += 1;
      if (look === ahead.length - 1) stop.abort();
      return ahead[look] ?? 0;
    },
    monotonic: () => 0,
  };
  const onJump = async () => void jumps.push(look);
  await watchHostClock(onJump, stop.signal, clocks, 0).catch(() => undefined);
  expect(jumps).toEqual([3, 6]);
});

it('finds slow drift, too, when it has become large', async () => {
  const stop = new AbortController();
  let ahead = 0;
  let jumps = 0;
  const clocks = { wall: () => ahead++ * 100, monotonic: () => 0 };
  const onJump = async () => {
    jumps += 1;
    if (jumps === 2) stop.abort();
  };
  await watchHostClock(onJump, stop.signal, clocks, 0).catch(() => undefined);
  expect(ahead).toBe(11);
});
