import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { READY_SCRIPT, ready, readyPlace } from '../../../src/fleet/lifecycle/readiness.js';
import type { Session } from '../../../src/fleet/sessions/session.js';
import { SharedConnection } from '../../../src/fleet/sessions/shared-connection.js';

it('closes a shell that does not answer in time, and keeps the next one', async () => {
  const done = { exitCode: 0, timedOut: false, stderr: '' };
  let rejectFirst: (error: Error) => void = () => undefined;
  const connections: { open: boolean }[] = [];
  const shell = new SharedConnection(async () => {
    const connection = {
      open: true,
      close: () => {
        connection.open = false;
      },
      // The first one ignores its signal.
      run: () =>
        connection === connections[0]
          ? new Promise((_, reject) => {
              rejectFirst = reject;
            })
          : Promise.resolve(done),
    };
    connections.push(connection);
    return connection;
  }, 60_000);
  const screen = new SharedConnection(async () => ({ open: true, close: () => undefined }), 60_000);
  const session = {
    screen,
    shell,
    describe: async () => ({ shell: { user: 'user' } }),
  } as unknown as Session;

  await ready(session, 5_000, new AbortController().signal, { first: 50, longest: 50 });
  expect(connections.map(({ open }) => open)).toEqual([false, true]);
  rejectFirst(new Error('late'));
  await new Promise(setImmediate);
  expect(connections.map(({ open }) => open)).toEqual([false, true]);
});

it('gives a machine on a busy host more time with each attempt', async () => {
  let attempts = 0;
  const screen = new SharedConnection(async () => {
    const attempt = ++attempts;
    // Takes longer than the first attempts may; an earlier connection is not reused.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { open: attempt === attempts, close: () => undefined };
  }, 60_000);
  const session = { screen, describe: async () => ({}) } as unknown as Session;

  await ready(session, 5_000, new AbortController().signal, { first: 20, longest: 1_000 });
  expect(attempts).toBeGreaterThan(2);
});

it('says what was missing, also if an attempt is under way at the end', {
  tags: 'slow',
}, async () => {
  let attempts = 0;
  const shell = new SharedConnection(
    async () => ({
      open: true,
      close: () => undefined,
      run: async () => {
        attempts += 1;
        if (attempts > 1) await new Promise(() => undefined);
        return { exitCode: 1, timedOut: false, stderr: 'no window manager' };
      },
    }),
    60_000,
  );
  const screen = new SharedConnection(async () => ({ open: true, close: () => undefined }), 60_000);
  const describe = async () => ({ shell: { user: 'user' } });
  const session = { screen, shell, describe } as unknown as Session;

  const limits = { first: 60_000, longest: 60_000 };
  const waiting = ready(session, 1_000, new AbortController().signal, limits);
  await expect(waiting).rejects.toThrow('(shell: no window manager)');
  expect(attempts).toBe(2);
});

it('names what runs of a desktop that is never painted, and its last errors', async () => {
  const shell = new SharedConnection(
    async () => ({
      open: true,
      close: () => undefined,
      run: async ({ command }: { command: string }) =>
        command === READY_SCRIPT
          ? { exitCode: -1, timedOut: true, stderr: '', stdout: '' }
          : {
              exitCode: 0,
              timedOut: false,
              stderr: '',
              stdout: 'xfwm4\nxfdesktop: \x1b[1mBadWindow\n',
            },
    }),
    60_000,
  );
  const screen = new SharedConnection(async () => ({ open: true, close: () => undefined }), 60_000);
  const describe = async () => ({ shell: { user: 'user' } });
  const session = { screen, shell, describe } as unknown as Session;

  const limits = { first: 100, longest: 100 };
  const waiting = ready(session, 300, new AbortController().signal, limits);
  await expect(waiting).rejects.toThrow(
    'within 0.3 s (shell: the desktop is not painted yet). Running: xfwm4. Last errors: xfdesktop: [1mBadWindow.',
  );
});

it('lets 16 machines at once wait for their first frame, each for a second before the next', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const leaves: (() => void)[] = [];
  try {
    const enter = (signal = new AbortController().signal) =>
      readyPlace(signal).then((leave) => leaves.push(leave));
    const entering = Array.from({ length: 40 }, () => enter());
    await turn();
    expect(leaves).toHaveLength(16);
    // One that is stopped while it waits takes no place later.
    const stopped = new AbortController();
    const refused = expect(enter(stopped.signal)).rejects.toThrow('stopped');
    stopped.abort(new Error('stopped'));
    await refused;
    leaves[0]?.();
    leaves[0]?.();
    await turn();
    expect(leaves).toHaveLength(17);
    vi.advanceTimersByTime(1_000);
    await turn();
    expect(leaves).toHaveLength(33);
    vi.advanceTimersByTime(1_000);
    await Promise.all(entering);
    for (const leave of leaves) leave();
    await Promise.all(Array.from({ length: 16 }, () => enter()));
    expect(leaves).toHaveLength(56);
  } finally {
    vi.useRealTimers();
    // Other files of this process start machines, too.
    for (const leave of leaves) leave();
  }
});
