// @module-tag thorough
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import { deferred } from '../../src/lib/async/deferred.js';
import { usedMib } from '../support/run/memory.js';
import { promise } from '../support/run/promise.js';
import { type Guest, openGuest } from './support/guest.js';
import { onMessage, sendPacket, ssh, uint32 } from './support/packets.js';

const MIB = 2 ** 20;
const tick = () => new Promise((resolve) => setImmediate(resolve));

let guest: Guest | undefined;
afterEach(() => guest?.close());

/** Opens a guest, and the connection on its side. */
async function openBoth(): Promise<{ guest: Guest; connection: Connection }> {
  const opened = deferred<Connection>();
  guest = await openGuest({ onConnection: opened.resolve });
  return { guest, connection: await opened.promise };
}

/** The first line that every command prints, and then `count` pieces of one byte. */
async function drip(channel: ServerChannel, count: number): Promise<void> {
  channel.on('error', () => undefined);
  channel.write('1234\n');
  for (let sent = 0; sent < count; sent++) {
    channel.write('x');
    if (sent % 2000 === 0) await tick();
  }
}

const command = { command: 'echo ok', timeoutMs: 10_000, background: false };

describe('a hostile SSH server', () => {
  promise(
    29,
    'uses little memory with unread output in single bytes',
    async (report) => {
      // Fewer than the packets that the guest may send at once.
      const count = 48_000;
      let sending: Promise<void> | undefined;
      guest = await openGuest({
        onExec: (channel) => {
          sending = drip(channel, count);
        },
      });
      const before = usedMib();
      const child = await guest.shell.spawn({ argv: ['x'] });
      await sending;
      while (guest.wire.writableLength > 0) await tick();
      for (let turn = 0; turn < 500; turn++) await tick();
      const mib = usedMib() - before;
      report(`${count.toLocaleString('en')} bytes one by one: +${Math.round(mib)} MiB`);
      expect(mib).toBeLessThan(4);
      let length = 0;
      for await (const chunk of child.stdout) {
        length += (chunk as Buffer).length;
        if (length === count) break;
      }
      expect(length).toBe(count);
    },
    60_000,
  );

  promise(29, 'cannot pile up replies that it does not read', async () => {
    const { guest, connection } = await openBoth();
    const { stream, wire } = guest;
    wire.pause();
    for (let count = 0; count < 80; count++) stream.write(Buffer.alloc(65_536));
    const request = async () => {
      for (let count = 0; count < 40; count++) {
        connection.forwardOut('127.0.0.1', 1, '127.0.0.1', 2, () => undefined);
      }
      for (let turn = 0; turn < 10; turn++) await tick();
    };
    await request();
    const before = stream.writableLength;
    await request();
    expect(stream.writableLength).toBe(before);
    expect(stream.isPaused()).toBe(true);
    wire.resume();
    while (stream.isPaused()) await tick();
  });

  promise(29, 'is read later when it sends many small packets', async (report) => {
    const { guest, connection } = await openBoth();
    const { stream, shell } = guest;
    const ignored = Buffer.of(2, 0, 0, 0, 0);
    let sent = 0;
    while (!stream.isPaused()) {
      for (let count = 0; count < 1000; count++) sendPacket(connection, ignored);
      sent += 1000;
      // Each second of a slow host allows 5,000 more.
      expect(sent).toBeLessThan(300_000);
      await tick();
    }
    expect(sent).toBeGreaterThan(40_000);
    expect(await shell.run(command)).toMatchObject({ stdout: 'ok\n' });
    report(`paused after ${sent.toLocaleString('en')} empty packets; then a command works`);
  });

  promise(29, 'receives only the latest of many terminal sizes', async () => {
    guest = await openGuest();
    const { stream, wire, shell } = guest;
    const child = await shell.spawn({ argv: ['cat'] });
    for (let turn = 0; turn < 20; turn++) await tick();
    wire.pause();
    for (let columns = 1; columns < 5000; columns++) child.resize({ columns, rows: 1 });
    for (let turn = 0; turn < 20; turn++) await tick();
    expect(stream.writableLength).toBeLessThan(1000);
    wire.resume();
  });

  promise(
    29,
    'cannot fill the memory with host keys',
    async (report) => {
      const { guest, connection } = await openBoth();
      const { public: key } = ssh2.utils.generateKeyPairSync('ed25519');
      const keys = Array<Buffer>(500).fill(ssh(Buffer.from(key.split(' ')[1] ?? '', 'base64')));
      // A guest that never answers the request to prove them.
      onMessage(connection, 'GLOBAL_REQUEST', () => undefined);
      const before = usedMib();
      for (let count = 0; count < 90; count++) {
        sendPacket(
          connection,
          Buffer.of(80),
          ssh('hostkeys-00@openssh.com'),
          Buffer.of(0),
          ...keys,
        );
        await tick();
      }
      while (guest.wire.writableLength > 0) await tick();
      for (let turn = 0; turn < 500; turn++) await tick();
      const mib = usedMib() - before;
      report(`45,000 host keys: +${Math.round(mib)} MiB`);
      // Parsed keys would take several times as much.
      expect(mib).toBeLessThan(16);
    },
    60_000,
  );

  it('is disconnected if it sends requests endlessly', async () => {
    const { guest, connection } = await openBoth();
    const request = [Buffer.of(80), ssh('keepalive@openssh.com'), Buffer.of(1)];
    for (let count = 0; count < 300; count++) sendPacket(connection, ...request);
    const message = 'The computer violated SSH: it sent too many requests.';
    await expect(guest.shell.run(command)).rejects.toMatchObject({ message });
  });

  it('is disconnected if it asks for a signature again', async () => {
    let requests = 0;
    const opening = openGuest({
      onLogin: (connection) =>
        onMessage(connection, 'USERAUTH_REQUEST', () => {
          requests += 1;
          if (requests === 1) {
            sendPacket(connection, Buffer.of(51), ssh('publickey'), Buffer.of(0));
          }
          if (requests !== 2) return;
          // Each says that the key is accepted.
          const accepted = [Buffer.of(60), ssh('ssh-ed25519'), ssh('key')];
          for (let count = 0; count < 500; count++) sendPacket(connection, ...accepted);
        }),
    });
    const message = 'The computer violated SSH: it asked for a second signature.';
    await expect(opening).rejects.toMatchObject({ message });
    for (let turn = 0; turn < 50; turn++) await tick();
    // Without a method, with the key, and with the signature.
    expect(requests).toBeLessThanOrEqual(3);
  });

  it('is disconnected if it ignores flow control', async () => {
    const { guest, connection } = await openBoth();
    onMessage(connection, 'CHANNEL_OPEN', (_, { sender }) => {
      const window = [uint32(2 * MIB), uint32(32_768)];
      sendPacket(connection, Buffer.of(91), uint32(sender), uint32(0), ...window);
      const data = ssh(Buffer.alloc(32_000));
      // Even before the command has started.
      for (let count = 0; count < 300; count++) {
        sendPacket(connection, Buffer.of(94), uint32(sender), data);
      }
    });
    const message = 'The computer violated SSH: it ignored flow control.';
    await expect(guest.shell.run(command)).rejects.toMatchObject({ message });
  });

  it.each([0, 1])('is disconnected if it accepts packets of %i bytes', async (size) => {
    const message = 'The computer violated SSH: it accepts no packets of a usual size.';
    const uses = [
      ({ shell }: Guest) => shell.run(command),
      ({ shell }: Guest) => shell.files.list('.'),
      ({ shell }: Guest) => shell.connect(80),
    ];
    for (const use of uses) {
      const { guest, connection } = await openBoth();
      onMessage(connection, 'CHANNEL_OPEN', (_, { sender }) => {
        const limits = [uint32(2 * MIB), uint32(size)];
        sendPacket(connection, Buffer.of(91), uint32(sender), uint32(0), ...limits);
      });
      await expect(use(guest)).rejects.toMatchObject({ message });
      guest.close();
    }
  });

  const reason = `no \u001b]0;title\u0007\u202e${'x'.repeat(30_000)}`;
  const quoted = /^[ -~]{100,280}…\.$/;

  it('that refuses a command is quoted in a short line', async () => {
    const { guest, connection } = await openBoth();
    onMessage(connection, 'CHANNEL_OPEN', (_, { sender }) =>
      sendPacket(connection, Buffer.of(92), uint32(sender), uint32(4), ssh(reason), ssh('')),
    );
    const message = expect.stringMatching(quoted);
    await expect(guest.shell.run(command)).rejects.toMatchObject({ message });
    await expect(guest.shell.files.list('.')).rejects.toMatchObject({ message });
  });

  it('that disconnects is quoted in a short line', async () => {
    const { guest, connection } = await openBoth();
    onMessage(connection, 'CHANNEL_OPEN', () =>
      sendPacket(connection, Buffer.of(1), uint32(2), ssh(reason), ssh('')),
    );
    const message = expect.stringMatching(quoted);
    await expect(guest.shell.run(command)).rejects.toMatchObject({ message });
  });
});
