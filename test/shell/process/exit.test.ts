import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openGuest } from '../support/guest.js';

const command = { command: '', timeoutMs: 10_000, background: false };

it('reads all output of a command from a guest that sends it slowly', async () => {
  const [parts, length] = [20, 16 * 1024];
  const guest = await openGuest({
    onExec: async (channel) => {
      await once(channel.resume(), 'end');
      // As sshd on a connection with many busy channels: the exit first, then a part at a time.
      channel.write('100\n');
      channel.exit(0);
      for (let i = 0; i < parts; i++) {
        channel.write(Buffer.alloc(length, 'x'));
        await sleep(10);
      }
      channel.close();
    },
  });
  const { stdout, truncated } = await guest.shell.run(command);
  expect([stdout.length, truncated]).toEqual([parts * length, false]);
  guest.close();
});

/** What is read of a program that prints late, and how long the round trips before that took. */
async function readLate(): Promise<{ stdout: string; roundsMs: number }> {
  let running: { write(text: string): void; close(): void } | undefined;
  let rounds = 0;
  let exitedAt = 0;
  let roundsMs = 0;
  const guest = await openGuest({
    onConnection: (client) =>
      client.on('request', (_accept, reject) => {
        reject?.();
        rounds += 1;
        if (running === undefined || rounds !== 3) return;
        roundsMs = performance.now() - exitedAt;
        // The replies to three round trips wait to be read while this process does not run.
        const end = performance.now() + 100;
        while (performance.now() < end);
        running.write('late');
        running.close();
      }),
    onExec: async (channel) => {
      await once(channel.resume(), 'end');
      running = channel;
      rounds = 0;
      exitedAt = performance.now();
      channel.write('100\n');
      channel.exit(0);
    },
  });
  const { stdout } = await guest.shell.run(command);
  guest.close();
  return { stdout, roundsMs };
}

it('takes no time in which it did not run for silence of the guest', async () => {
  let read = await readLate();
  // On a busy host the round trips alone may take as long as the silence.
  while (read.roundsMs > 30) read = await readLate();
  expect(read.stdout).toBe('late');
});

it('asks nothing of a guest that closes the channel after the exit', async () => {
  let rounds = 0;
  const guest = await openGuest({
    onConnection: (client) =>
      client.on('request', (_accept, reject) => {
        reject?.();
        rounds += 1;
      }),
    onExec: async (channel) => {
      await once(channel.resume(), 'end');
      rounds = 0;
      channel.write('100\n');
      channel.exit(0);
      channel.close();
    },
  });
  expect((await guest.shell.run(command)).exitCode).toBe(0);
  await guest.shell.run(command);
  expect(rounds).toBe(0);
  guest.close();
});
