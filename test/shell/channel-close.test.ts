// @module-tag thorough
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'ssh2';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startTemporaryBrowser } from '../../src/shell/browser/start.js';
import { usedMib } from '../support/run/memory.js';
import { promise } from '../support/run/promise.js';
import { type Guest, openGuest } from './support/guest.js';
import { handlerOf, onMessage, sendPacket, ssh, uint32 } from './support/packets.js';

const MIB = 2 ** 20;
const COUNT = 16;
/** Shared, so that the guest's own side takes no memory. */
const output = Buffer.alloc(MIB);
const tick = () => new Promise((resolve) => setImmediate(resolve));
const command = { command: 'x', timeoutMs: 100, background: false };

let guest: Guest | undefined;
afterEach(() => {
  vi.useRealTimers();
  guest?.close();
});

/** A collection of garbage frees the memory of buffers a little later. */
async function usedSoon(): Promise<number> {
  for (let turn = 0; turn < 50; turn++) await tick();
  usedMib();
  await sleep(50);
  return usedMib();
}

/** A guest that never ends a command and never confirms a close. */
async function openSilent(): Promise<{ guest: Guest; printed(): number }> {
  let printed = 0;
  guest = await openGuest({
    onExec: (channel) => {
      channel.on('error', () => undefined);
      channel.write('no number\n');
      channel.write(output);
      channel.stderr.write(output);
      printed += 1;
    },
    onConnection: (connection) => onMessage(connection, 'CHANNEL_CLOSE', () => undefined),
  });
  return { guest, printed: () => printed };
}

describe('a guest that does not confirm that a channel is closed', () => {
  promise(29, 'leaves nothing of the output of commands that did not end', async (report) => {
    const { shell } = (await openSilent()).guest;
    const before = await usedSoon();
    const runs = Array.from({ length: COUNT }, () => shell.run(command));
    for (const { reason } of (await Promise.allSettled(runs)) as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ code: 'guest_timeout' });
    }
    runs.length = 0;
    const mib = (await usedSoon()) - before;
    report(`${COUNT} commands with 2 MiB of output each: +${Math.round(mib)} MiB`);
    expect(shell.open).toBe(true);
    expect(mib).toBeLessThan(8);
  });
});

/** More than a connection may have at once. */
const MANY = 3_200;

promise(29, 'tunnels whose close a guest does not confirm leave nothing', async (report) => {
  guest = await openGuest({
    onConnection: (connection) => {
      onMessage(connection, 'CHANNEL_CLOSE', () => undefined);
      connection.on('tcpip', (accept) => {
        const tunnel = accept();
        tunnel.on('error', () => undefined);
        tunnel.write('the end');
        tunnel.eof();
      });
    },
  });
  const { shell } = guest;
  const open = async () => {
    const tunnel = await shell.connect(80);
    let text = '';
    for await (const chunk of tunnel.iterator({ destroyOnReturn: false })) text += chunk;
    expect(text).toBe('the end');
    tunnel.destroy();
  };
  for (let opened = 0; opened < MANY; opened += COUNT) {
    await Promise.all(Array.from({ length: COUNT }, open));
  }
  expect(shell.open).toBe(true);
  report(`${MANY} tunnels that the guest has ended, none kept`);
});

promise(29, 'a guest that lets no channel end is disconnected', async (report) => {
  guest = await openGuest({
    onConnection: (connection) => connection.on('tcpip', (accept) => accept()),
  });
  const { shell } = guest;
  let opened = 0;
  const tunnels: Duplex[] = [];
  while (shell.open && opened < MANY) {
    const some = await Promise.allSettled(Array.from({ length: COUNT }, () => shell.connect(80)));
    for (const one of some) if (one.status === 'fulfilled') tunnels.push(one.value);
    opened += COUNT;
  }
  expect(shell.open).toBe(false);
  report(`after ${opened} channels`);
});

promise(29, 'commands that a guest refuses leave no channel', async (report) => {
  const closes = vi.fn();
  guest = await openGuest({
    onConnection: (connection) => {
      onMessage(connection, 'CHANNEL_CLOSE', closes);
      const senders: number[] = [];
      const open = handlerOf(connection, 'CHANNEL_OPEN');
      onMessage(connection, 'CHANNEL_OPEN', (...message) => {
        senders.push((message[1] as { readonly sender: number }).sender);
        open(...message);
      });
      // SSH_MSG_CHANNEL_FAILURE
      onMessage(connection, 'CHANNEL_REQUEST', () => {
        sendPacket(connection, Buffer.of(100), uint32(senders.shift() ?? 0));
      });
    },
  });
  const { shell } = guest;
  for (let asked = 0; asked < 160; asked += COUNT) {
    const runs = Array.from({ length: COUNT }, () => shell.run(command));
    for (const { status } of await Promise.allSettled(runs)) expect(status).toBe('rejected');
  }
  await expect.poll(() => closes.mock.calls.length).toBe(160);
  expect(shell.open).toBe(true);
  report('160 commands refused, 160 channels closed');
});

promise(20, 'output after its end, before a command is confirmed, ends nothing', async () => {
  guest = await openGuest({
    onConnection: (connection) => {
      let sender = 0;
      onMessage(connection, 'CHANNEL_OPEN', (_, opening) => {
        ({ sender } = opening as { readonly sender: number });
        // SSH_MSG_CHANNEL_OPEN_CONFIRMATION: numbers of both sides, window and largest packet.
        const numbers = [sender, 0, 2 * MIB, 32_768].map(uint32);
        sendPacket(connection, Buffer.of(91), ...numbers);
      });
      onMessage(connection, 'CHANNEL_REQUEST', () => {
        // SSH_MSG_CHANNEL_EOF, then standard error in SSH_MSG_CHANNEL_EXTENDED_DATA.
        sendPacket(connection, Buffer.of(96), uint32(sender));
        sendPacket(connection, Buffer.of(95), uint32(sender), uint32(1), ssh('late'));
      });
    },
  });
  const uncaught = vi.fn();
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', uncaught);
  const started = guest.shell.spawn({ argv: ['x'] });
  await sleep(200);
  process.removeAllListeners('uncaughtException');
  for (const other of others) process.on('uncaughtException', other);
  // An error of a stream that nobody listens for ends the process.
  expect(uncaught).not.toHaveBeenCalled();
  guest.shell.destroy();
  await expect(started).rejects.toMatchObject({ code: 'guest_failed' });
});

promise(
  20,
  'a guest that ends its side of the connection ends that, and nothing else',
  async () => {
    guest = await openGuest();
    const { shell, wire } = guest;
    const run = () => shell.run(command);
    const waiting = run();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    wire.end();
    await expect(waiting).rejects.toMatchObject({ code: 'guest_failed' });
    expect(shell.open).toBe(false);
    await expect(run()).rejects.toMatchObject({ code: 'guest_failed' });
    // What a timer throws ends the process.
    await pass(60_000);
  },
);

it('a temporary browser that failed is ended when it does not end by itself', async () => {
  const closes = vi.fn();
  guest = await openGuest({
    onExec: (channel) => {
      channel.on('error', () => undefined);
      channel.resume();
      channel.write('1234\nended\n');
    },
    onConnection: (connection) => onMessage(connection, 'CHANNEL_CLOSE', closes),
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const started = startTemporaryBrowser(guest.shell, [], new AbortController().signal);
  await expect(started).rejects.toMatchObject({ code: 'guest_failed' });
  await pass(9_000);
  expect(closes).not.toHaveBeenCalled();
  for (let round = 0; round < 20 && closes.mock.calls.length === 0; round++) await pass(2_000);
  expect(closes).toHaveBeenCalled();
});

it('a guest that confirms it late keeps its other commands', async () => {
  const late: (() => void)[] = [];
  guest = await openGuest({
    onExec: (channel) => {
      channel.on('error', () => undefined);
      if (late.length === 0) late.push(() => channel.write('late'));
      else {
        channel.write('1234\n');
        channel.pipe(channel);
      }
    },
    onConnection: (connection) => {
      const close = handlerOf(connection, 'CHANNEL_CLOSE');
      onMessage(connection, 'CHANNEL_CLOSE', (...message) => late.push(() => close(...message)));
    },
  });
  const { shell } = guest;
  const abandoned = shell.run(command);
  while (late.length === 0) await tick();
  const child = await shell.spawn({ argv: ['x'] });
  await expect(abandoned).rejects.toMatchObject({ code: 'guest_timeout' });
  while (late.length < 2) await tick();
  for (const act of late) act();
  child.stdin.write('still here');
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output.endsWith('still here')) break;
  }
  expect(shell.open).toBe(true);
});

it('a command whose output ends before its exit status comes keeps the status', async () => {
  let connection: Connection | undefined;
  guest = await openGuest({
    onExec: (channel) => {
      channel.write('1234\n');
      channel.eof();
      setTimeout(() => {
        const { id } = (channel as unknown as { readonly outgoing: { readonly id: number } })
          .outgoing;
        const status = [ssh('exit-status'), Buffer.of(0), uint32(3)];
        if (connection) sendPacket(connection, Buffer.of(98), uint32(id), ...status);
        channel.close();
      }, 50);
    },
    onConnection: (opened) => {
      connection = opened;
      // As sshd, which reports the exit even if this side has closed the channel.
      onMessage(opened, 'CHANNEL_CLOSE', () => undefined);
    },
  });
  const result = await guest.shell.run({ ...command, timeoutMs: 10_000 });
  expect(result).toMatchObject({ exitCode: 3 });
});

describe('a channel that the guest does not open in time', () => {
  /** Opens a guest; `closes` counts how often it is asked to close a channel. */
  async function openSlow(prepare: (connection: Connection) => void) {
    const closes = vi.fn();
    guest = await openGuest({
      onConnection: (connection) => {
        onMessage(connection, 'CHANNEL_CLOSE', closes);
        prepare(connection);
      },
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    return { shell: guest.shell, closes };
  }

  const uses: [string, (guest: Guest) => Promise<unknown>][] = [
    ['a command', ({ shell }) => shell.run(command)],
    ['a file transfer session', ({ shell }) => shell.files.list('.')],
    ['a tunnel', ({ shell }) => shell.connect(80)],
  ];

  it.each(uses.slice(0, 2))('is closed before %s has begun', async (_, use) => {
    const { closes } = await openSlow((connection) =>
      onMessage(connection, 'CHANNEL_REQUEST', () => undefined),
    );
    const used = expect(use(guest as Guest)).rejects.toMatchObject({ code: 'guest_timeout' });
    await pass(15_000);
    await used;
    expect(closes).toHaveBeenCalledOnce();
  });

  it.each(uses)('is closed when it opens later: %s', async (_, use) => {
    const later: (() => void)[] = [];
    const { shell, closes } = await openSlow((connection) => {
      const open = handlerOf(connection, 'CHANNEL_OPEN');
      onMessage(connection, 'CHANNEL_OPEN', (...message) => later.push(() => open(...message)));
      onMessage(connection, 'CHANNEL_REQUEST', () => undefined);
      connection.on('tcpip', (accept) => accept());
    });
    const used = expect(use(guest as Guest)).rejects.toMatchObject({ code: 'guest_timeout' });
    await pass(15_000);
    await used;
    expect(closes).not.toHaveBeenCalled();
    for (const open of later) open();
    await pass(0);
    expect(closes).toHaveBeenCalledOnce();
    expect(shell.open).toBe(true);
  });

  it('ends the connection if there are many', async () => {
    const { shell } = await openSlow((connection) =>
      onMessage(connection, 'CHANNEL_OPEN', () => undefined),
    );
    const runs = Promise.allSettled(Array.from({ length: 65 }, () => shell.run(command)));
    for (let round = 0; round < 4; round++) await pass(3_200);
    expect(shell.open).toBe(true);
    await pass(3_200);
    expect(shell.open).toBe(false);
    const last = (await runs)[64];
    expect(last).toMatchObject({ reason: { code: 'guest_timeout' } });
  });
});

/** Lets some time pass, and what was sent arrive. */
async function pass(ms: number): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await tick();
  await vi.advanceTimersByTimeAsync(ms);
  for (let turn = 0; turn < 50; turn++) await tick();
}
