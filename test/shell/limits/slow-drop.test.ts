import { PassThrough } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SlowDrop } from '../../../src/shell/limits/slow-drop.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MIB = 1 << 20;

/** A program that prints as fast as it is read. */
function openChannel() {
  const channel = new PassThrough();
  const printed = { bytes: 0 };
  channel._read = () => {
    printed.bytes += 64 * 1024;
    channel.push(Buffer.alloc(64 * 1024));
  };
  return { channel: Object.assign(channel, { stderr: new PassThrough() }), printed };
}

it('drops the output of all its channels at 1 MiB per second', async () => {
  const drop = new SlowDrop();
  const channels = Array.from({ length: 3 }, () => openChannel());
  for (const { channel } of channels) drop.add(channel as unknown as ClientChannel);
  const total = () => channels.reduce((sum, { printed }) => sum + printed.bytes, 0);
  await vi.advanceTimersByTimeAsync(1);
  expect(total()).toBeGreaterThan(3 * MIB);
  expect(total()).toBeLessThan(6 * MIB);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(total()).toBeGreaterThan(12 * MIB);
  expect(total()).toBeLessThan(17 * MIB);
});
