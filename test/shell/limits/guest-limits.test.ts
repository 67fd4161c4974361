import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Client } from 'ssh2';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { limitGuest } from '../../../src/shell/limits/guest-limits.js';
import { PacketLimit } from '../../../src/shell/limits/packet-limit.js';

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }),
);
afterEach(() => void vi.useRealTimers());

/** The parts of an ssh2 client that are limited. */
function openClient(limit = new PacketLimit()) {
  const protocol = {
    _kexinit: undefined as Buffer | undefined,
    _handlers: {},
    _onPacket: (): void => undefined,
  };
  const channels = {
    get: (_id: number) => undefined,
    update: (_id: number, _channel: unknown) => undefined,
    remove: (_id: number) => undefined,
  };
  const client = Object.assign(new EventEmitter(), { _protocol: protocol, _chanMgr: channels });
  const stream = new PassThrough();
  const fail = vi.fn();
  limitGuest(client as unknown as Client, stream, limit, fail);
  return { client, protocol, channels, stream, fail };
}

/** Bytes arrive. */
const arrive = ({ stream }: { readonly stream: PassThrough }, bytes: number) =>
  stream.emit('data', Buffer.alloc(bytes));

it('reads a guest again only when no reason to pause is left', () => {
  const client = openClient();
  const unread: PassThrough[] = [];
  for (let id = 0; id < 20; id++) {
    const output = new PassThrough({ highWaterMark: 1 });
    const channel = Object.assign(output, {
      stderr: new PassThrough(),
      incoming: { state: 'open' },
    });
    client.channels.update(id, channel);
    output.push(Buffer.alloc(7 * 2 ** 20));
    unread.push(output);
  }
  for (let packet = 0; packet < 60_000; packet++) client.protocol._onPacket();
  arrive(client, 65_536);
  expect(client.stream.isPaused()).toBe(true);
  vi.advanceTimersByTime(10_000);
  // The small packets are paid for; the unread output is not.
  expect(client.stream.isPaused()).toBe(true);
  for (const output of unread) output.read();
  vi.advanceTimersByTime(60);
  expect(client.stream.isPaused()).toBe(false);
});

it('limits all connections to a guest together', () => {
  const limit = new PacketLimit();
  for (let connection = 0; connection < 5; connection++) {
    const { protocol } = openClient(limit);
    for (let packet = 0; packet < 11_000; packet++) protocol._onPacket();
  }
  const { client, stream, fail } = openClient(limit);
  stream.emit('data', Buffer.alloc(1));
  expect(stream.isPaused()).toBe(true);
  for (let exchange = 0; exchange < 90; exchange++) client.emit('handshake');
  expect(fail).not.toHaveBeenCalled();
  const again = openClient(limit);
  for (let exchange = 0; exchange < 20; exchange++) again.client.emit('handshake');
  expect(again.fail).toHaveBeenCalled();
});

it('counts unread output once for many small pieces', () => {
  const { channels, stream } = openClient();
  const output = new PassThrough();
  const count = vi.fn(() => 0);
  Object.defineProperty(output, 'readableLength', { get: count });
  const state = { stderr: new PassThrough(), incoming: { state: 'open' } };
  channels.update(0, Object.assign(output, state));
  count.mockClear();
  for (let piece = 0; piece < 6_553; piece++) stream.emit('data', Buffer.alloc(10));
  expect(count).not.toHaveBeenCalled();
  stream.emit('data', Buffer.alloc(10));
  expect(count).toHaveBeenCalled();
});
