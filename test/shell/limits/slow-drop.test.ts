import { PassThrough } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SlowDrop } from '../../../src/shell/limits/slow-drop.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MIB = 1 << 20;

/** A program that prints as long as its output is taken, and again when it is read. */
function openChannel() {
  const channel = Object.assign(new PassThrough(), { stderr: new PassThrough() });
  const printed = { bytes: 0 };
  const print = () => {
    do printed.bytes += 64 * 1024;
    while (channel.push(Buffer.alloc(64 * 1024)));
  };
  channel._read = print;
  return { channel, printed, print };
}

it('drops the output of all its channels at 1 MiB per second', async () => {
  const drop = new SlowDrop();
  const channels = Array.from({ length: 3 }, () => openChannel());
  for (const { channel, print } of channels) {
    channel._read = () => {};
    drop.add(channel as unknown as ClientChannel);
    channel._read = print;
    print();
  }
  const total = () => channels.reduce((sum, { printed }) => sum + printed.bytes, 0);
  await vi.advanceTimersByTimeAsync(1);
  expect(total()).toBeGreaterThan(3 * MIB);
  expect(total()).toBeLessThan(6 * MIB);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(total()).toBeGreaterThan(12 * MIB);
  expect(total()).toBeLessThan(17 * MIB);
  // Nothing of it is kept.
  expect(channels.map(({ channel }) => channel.readableLength)).toEqual([0, 0, 0]);
});
