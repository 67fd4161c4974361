import { expect, it } from 'vitest';
import { setClocks, watchHostClock } from '../../../src/engines/qemu/host-clock.js';
import type { MachineRegistry } from '../../../src/engines/qemu/machine/registry.js';

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

it('reports a jump again after a failure, and watches on', async () => {
  const stop = new AbortController();
  let wall = 0;
  const clocks = { wall: () => wall, monotonic: () => 0 };
  const jumps: number[] = [];
  const onJump = async () => {
    jumps.push(wall);
    if (jumps.length === 1) throw new Error('the machines cannot be listed');
    if (wall === 60_000) wall = 90_000;
    else stop.abort();
  };
  const watching = watchHostClock(onJump, stop.signal, clocks, 0);
  wall = 60_000;
  await watching.catch(() => undefined);
  expect(jumps).toEqual([60_000, 60_000, 90_000]);
});

it('sets the clocks of guests outside the operations of their machines', async () => {
  const busy = new Set<string>();
  const withMachine = async (id: string, work: (machine: object, record: object) => unknown) => {
    if (id === 'removed') throw new Error('There is no such machine.');
    busy.add(id);
    const result = await work({ qemu: id === 'ended' ? undefined : id }, { of: id });
    busy.delete(id);
    return result;
  };
  const running = ['a', 'removed', 'ended', 'b'].map((id) => ({ id, status: 'running' }));
  const list = async () => [...running, { id: 'c', status: 'stopped' }];
  const machines = { list, withMachine } as unknown as MachineRegistry;
  const set: unknown[] = [];
  await setClocks(machines, async (qemu, record) => {
    expect([...busy]).toEqual([]);
    set.push([qemu, record]);
  });
  expect(set).toEqual([
    ['a', { of: 'a' }],
    ['b', { of: 'b' }],
  ]);
});
