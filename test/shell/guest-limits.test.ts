import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Client } from 'ssh2';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { limitGuest } from '../../src/shell/guest-limits.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** The parts of an ssh2 client that are limited. */
function openClient() {
  const protocol = {
    _kexinit: undefined as Buffer | undefined,
    _handlers: {},
    _onPacket: (): void => undefined,
  };
  const channels = { update: (_id: number, _channel: unknown) => undefined };
  const client = Object.assign(new EventEmitter(), { _protocol: protocol, _chanMgr: channels });
  const stream = new PassThrough();
  const fail = vi.fn();
  limitGuest(client as unknown as Client, stream, fail);
  return { protocol, channels, stream, fail };
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
  arrive(client, 36);
  expect(client.stream.isPaused()).toBe(true);
  vi.advanceTimersByTime(10_000);
  // The small packets are paid for; the unread output is not.
  expect(client.stream.isPaused()).toBe(true);
  for (const output of unread) output.read();
  vi.advanceTimersByTime(60);
  expect(client.stream.isPaused()).toBe(false);
});
