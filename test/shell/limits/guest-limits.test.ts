import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Client } from 'ssh2';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FloodLimit } from '../../../src/shell/limits/flood-limit.js';
import { limitGuest } from '../../../src/shell/limits/guest-limits.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** The parts of an ssh2 client that are limited. */
function openClient(flood = new FloodLimit()) {
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
  limitGuest(client as unknown as Client, stream, flood, fail);
  return { client, protocol, channels, stream, fail };
}

/** Bytes arrive. */
const arrive = ({ stream }: { readonly stream: PassThrough }, bytes: number) =>
  stream.emit('data', Buffer.alloc(bytes));

it('disconnects a guest that sends much while keys are exchanged', () => {
  const client = openClient();
  for (let piece = 0; piece < 100; piece++) arrive(client, 65_536);
  client.protocol._kexinit = Buffer.alloc(1);
  for (let piece = 0; piece < 4; piece++) arrive(client, 65_536);
  expect(client.fail).not.toHaveBeenCalled();
  arrive(client, 1);
  expect(client.fail.mock.calls[0]?.[0]).toMatchObject({
    message: expect.stringContaining('too much while it exchanged keys'),
  });
});

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

it('reads a guest later that sends much besides the data that it may send', () => {
  const flood = new FloodLimit();
  const client = openClient(flood);
  const packet = Buffer.alloc(32_768 + 60);
  const send = () => {
    client.protocol._onPacket();
    client.stream.emit('data', packet);
  };
  for (let count = 0; count < 10_000; count++) {
    send();
    flood.allowed(32_768);
  }
  expect(client.stream.isPaused()).toBe(false);
  for (let count = 0; count < 1000 && !client.stream.isPaused(); count++) send();
  expect(client.stream.isPaused()).toBe(true);
});

it('limits all connections to a guest together', () => {
  const flood = new FloodLimit();
  for (let connection = 0; connection < 5; connection++) {
    const { protocol } = openClient(flood);
    for (let packet = 0; packet < 11_000; packet++) protocol._onPacket();
  }
  const { client, stream, fail } = openClient(flood);
  stream.emit('data', Buffer.alloc(1));
  expect(stream.isPaused()).toBe(true);
  for (let exchange = 0; exchange < 90; exchange++) client.emit('handshake');
  expect(fail).not.toHaveBeenCalled();
  const again = openClient(flood);
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
