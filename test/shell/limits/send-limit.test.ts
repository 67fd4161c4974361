import type { Connection, ServerChannel } from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import type { ShellProcess } from '../../../src/shell/types.js';
import { eventually } from '../../support/eventually.js';
import { type Guest, openGuest } from '../support/guest.js';

const MIB = 2 ** 20;
const MESSAGE = Buffer.alloc(256 * 1024);
/** Messages to each program. */
const MESSAGES = 32;

let guest: Guest | undefined;
afterEach(() => guest?.close());

interface Internals {
  readonly _protocol: {
    channelOpenConfirm(channel: number, own: number, window: number, packet: number): void;
  };
  rekey(): void;
}

/** Programs in a guest that allows 4 GiB to be sent at once, and counts the bytes that they read. */
async function openPrograms(count: number) {
  const opened: { read: number; connection?: Connection & Internals } = { read: 0 };
  guest = await openGuest({
    onConnection: () => undefined,
    onLogin: (login) => {
      const connection = login as Connection & Internals;
      opened.connection = connection;
      const { _protocol: protocol } = connection;
      const confirm = protocol.channelOpenConfirm.bind(protocol);
      protocol.channelOpenConfirm = (channel, own, _, packet) =>
        confirm(channel, own, 0xffffffff, packet);
    },
    onExec: (channel: ServerChannel) => {
      channel.on('error', () => undefined).write('4711\n');
      channel.on('data', ({ length }: Buffer) => {
        opened.read += length;
      });
    },
  });
  const { shell, stream, wire } = guest;
  const spawn = () => shell.spawn({ argv: ['cat'] });
  const programs = await Promise.all(Array.from({ length: count }, spawn));
  await turns();
  opened.read = 0;
  return { opened, programs, stream, wire };
}

/** Writes all messages. Returns a function that counts the bytes that were taken. */
async function fill(programs: readonly ShellProcess[]): Promise<() => number> {
  let taken = 0;
  for (const { stdin } of programs) {
    for (let count = 0; count < MESSAGES; count++) {
      stdin.write(MESSAGE, () => {
        taken += MESSAGE.length;
      });
    }
  }
  await turns();
  return () => taken;
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('data for a guest', () => {
  it.each([1, 4])('of %i programs waits while the guest does not read', async (count) => {
    const { opened, programs, stream, wire } = await openPrograms(count);
    const all = count * MESSAGES * MESSAGE.length;
    wire.pause();
    const taken = await fill(programs);
    expect(stream.writableLength).toBeLessThan(2 * MIB);
    expect(taken()).toBeLessThan(2 * MIB);
    wire.resume();
    await eventually(async () => opened.read === all);
    expect(taken()).toBe(all);
  });

  it('waits while keys are exchanged', async () => {
    const { opened, programs, wire } = await openPrograms(2);
    // The guest begins, and answers later.
    opened.connection?.rekey();
    wire.pause();
    const taken = await fill(programs);
    expect(taken()).toBeLessThan(2 * MIB);
    wire.resume();
    await eventually(async () => opened.read === 2 * MESSAGES * MESSAGE.length);
  });
});
