import type { Client } from 'ssh2';
import { expect, it, vi } from 'vitest';
import { limitWindows } from '../../../src/shell/limits/window-limit.js';

const MIB = 2 ** 20;

interface Channel {
  readonly incoming: { window: number };
  readonly outgoing: { state: string };
}

/** The parts of an ssh2 client that are limited; data makes the window of its channel smaller. */
function openClient() {
  const opened = new Map<number, Channel>();
  const channels = {
    get: (id: number) => opened.get(id),
    remove: (id: number) => void opened.delete(id),
  };
  const take = (_protocol: unknown, id: number, data: Buffer, _type?: number) => {
    const channel = opened.get(id);
    if (channel !== undefined) channel.incoming.window -= data.length;
  };
  const handlers = { CHANNEL_DATA: take, CHANNEL_EXTENDED_DATA: take };
  const client = { _chanMgr: channels, _protocol: { _handlers: handlers } };
  const counted = { allowed: 0 };
  const exceeded = vi.fn();
  const allowed = (bytes: number) => {
    counted.allowed += bytes;
  };
  limitWindows(client as unknown as Client, { allowed, exceeded });
  const open = (id: number, window = 2 * MIB) => {
    const channel = { incoming: { window }, outgoing: { state: 'open' } };
    opened.set(id, channel);
    return channel;
  };
  const data = (id: number, bytes: number) => handlers.CHANNEL_DATA(0, id, Buffer.alloc(bytes));
  const extended = (id: number, bytes: number, type: number) =>
    handlers.CHANNEL_EXTENDED_DATA(0, id, Buffer.alloc(bytes), type);
  return { channels, open, data, extended, counted, exceeded };
}

it('allows what the window of a channel allows, and no byte more', () => {
  const { open, data, extended, counted, exceeded } = openClient();
  const channel = open(3);
  data(3, MIB);
  extended(3, MIB, 1);
  expect(exceeded).not.toHaveBeenCalled();
  data(3, 1);
  expect(exceeded).toHaveBeenCalledTimes(1);
  channel.incoming.window += MIB;
  data(3, MIB);
  extended(3, 1, 1);
  expect(exceeded).toHaveBeenCalledTimes(2);
  expect(counted.allowed).toBe(3 * MIB);
  // It was not taken either.
  expect(channel.incoming.window).toBe(0);
});

it('allows nothing for a channel that was never opened', () => {
  const { data, exceeded } = openClient();
  data(0, 1);
  expect(exceeded).toHaveBeenCalledTimes(1);
});

it('allows the rest of the windows of channels that the service closed', () => {
  const { channels, open, data, counted, exceeded } = openClient();
  for (let id = 0; id < 4; id++) {
    open(id);
    data(id, MIB);
  }
  for (let id = 0; id < 4; id++) {
    const channel = channels.get(id);
    // The guest has closed the first one.
    if (channel && id > 0) channel.outgoing.state = 'closing';
    channels.remove(id);
  }
  for (let id = 1; id < 4; id++) data(id, MIB);
  expect(exceeded).not.toHaveBeenCalled();
  expect(counted.allowed).toBe(7 * MIB);
  data(1, 1);
  expect(exceeded).toHaveBeenCalledTimes(1);
});

it('does not save up the windows of many closed channels', () => {
  const { channels, open, data, exceeded } = openClient();
  for (let id = 0; id < 1000; id++) {
    open(id).outgoing.state = 'closing';
    channels.remove(id);
  }
  let packets = 0;
  for (; exceeded.mock.calls.length === 0 && packets < 1000; packets++) data(5, MIB);
  expect(packets).toBe(64 + 1);
});

it('does not count extended data of a type that does not exist', () => {
  const { open, extended, counted, exceeded } = openClient();
  open(0);
  for (let count = 0; count < 4; count++) extended(0, MIB, 2);
  expect(counted.allowed).toBe(0);
  expect(exceeded).not.toHaveBeenCalled();
});
