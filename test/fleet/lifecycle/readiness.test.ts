import { expect, it } from 'vitest';
import { ready } from '../../../src/fleet/lifecycle/readiness.js';
import type { Session } from '../../../src/fleet/sessions/session.js';
import { SharedConnection } from '../../../src/fleet/sessions/shared-connection.js';

it('closes a shell that does not answer at once, and not the next one', async () => {
  const done = { exitCode: 0, timedOut: false, stderr: '' };
  let letGo: (error: Error) => void = () => undefined;
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
              letGo = reject;
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
  letGo(new Error('late'));
  await new Promise(setImmediate);
  expect(connections.map(({ open }) => open)).toEqual([false, true]);
});

it('gives a machine on a busy host more time with each attempt', async () => {
  let begun = 0;
  const screen = new SharedConnection(async () => {
    const mine = ++begun;
    // Longer than the first attempts may take; no attempt helps a later one.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { open: mine === begun, close: () => undefined };
  }, 60_000);
  const session = { screen, describe: async () => ({}) } as unknown as Session;

  await ready(session, 5_000, new AbortController().signal, { first: 20, longest: 1_000 });
  expect(begun).toBeGreaterThan(2);
});
