import { expect, it } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import { Walks } from '../../../src/fleet/elements/walks.js';
import type { Session } from '../../../src/fleet/sessions/session.js';
import { deferred } from '../../../src/lib/async/deferred.js';

const row = (n: number) => [`00000000-1.2-${n}`, 43, 0, `${n}`, null, [0, 0, 9, 9], []];

/** A session whose walks end when the test says so. */
function openWalks(programs = 'x11') {
  const started: {
    readonly command: string;
    end(rows: number): void;
    fail(exitCode: number): void;
    /** The guest has ended its program. */
    tooSlow(): void;
    freeze(): void;
  }[] = [];
  const drops: string[] = [];
  const run = async ({ command }: { readonly command: string }) => {
    const done = deferred<object>();
    started.push({
      command,
      end: (rows) => {
        const elements = Array.from({ length: rows }, (_, n) => row(n));
        done.resolve({ stdout: JSON.stringify({ elements, truncated: false }), exitCode: 0 });
      },
      fail: (exitCode) => done.resolve({ stdout: '', exitCode }),
      tooSlow: () => done.resolve({ stdout: '', exitCode: null, timedOut: true }),
      freeze: () => done.reject(new ApiError('guest_timeout', 'It seems frozen.')),
    });
    return done.promise;
  };
  const session = {
    describe: async () => ({ isolation: 'container', programs }),
    screen: {
      use: async (work: (screen: object) => unknown) =>
        work({ size: { width: 1280, height: 800 } }),
    },
    shell: {
      use: async (work: (shell: object) => unknown) => work({ run }),
      drop: () => void drops.push('shell'),
    },
  };
  const walks = new Walks(session as unknown as Session);
  const walk = (n: number) =>
    expect
      .poll(() => started[n])
      .toBeDefined()
      .then(() => started[n]);
  return { walks, started, walk, drops };
}

it('runs one walk at a time, and shares the one that waits', async () => {
  const { walks, started, walk } = openWalks();
  const first = walks.list(5);
  const opened = await walk(0);
  const others = [walks.list(7), walks.list(300), walks.list(9)];
  const last = walks.find('00000000-1.2-0');
  expect(started).toHaveLength(1);
  opened?.end(5);
  expect((await first).elements).toHaveLength(5);
  const shared = await walk(1);
  expect(shared?.command).toMatch(/python3 -IS - 300 1280 800 2000 /);
  expect(started).toHaveLength(2);
  shared?.end(20);
  for (const { elements } of await Promise.all(others)) expect(elements).toHaveLength(20);
  (await walk(2))?.end(4);
  expect(await last).toMatchObject({ id: '00000000-1.2-0' });
});

it('closes the connection, which others use, only of a frozen computer', async () => {
  const { walks, walk, drops } = openWalks();
  const slow = walks.list(5);
  (await walk(0))?.tooSlow();
  await expect(slow).rejects.toMatchObject({ code: 'guest_timeout' });
  expect(drops).toEqual([]);
  const frozen = walks.list(5);
  (await walk(1))?.freeze();
  await expect(frozen).rejects.toMatchObject({ code: 'guest_timeout' });
  expect(drops).toEqual(['shell']);
});

it('goes on after a walk that failed', async () => {
  const { walks, walk } = openWalks();
  const failed = walks.list(5);
  (await walk(0))?.fail(127);
  await expect(failed).rejects.toMatchObject({ code: 'unsupported' });
  const next = walks.list(5);
  (await walk(1))?.end(1);
  expect((await next).elements).toHaveLength(1);
});

it.each([
  ['wine', 0],
  ['native', 1],
])('says that programs of %s do not describe elements', async (programs, started) => {
  const { walks, started: all, walk } = openWalks(programs);
  const failed = walks.list(5);
  failed.catch(() => undefined);
  if (started > 0) (await walk(0))?.fail(1);
  await expect(failed).rejects.toMatchObject({ code: 'unsupported' });
  expect(all).toHaveLength(started);
});

it('does not look for an element when the client has left before its turn', async () => {
  const { walks, started, walk } = openWalks();
  const first = walks.list(5);
  const opened = await walk(0);
  const left = new AbortController();
  const found = walks.find('00000000-1.2-0', left.signal);
  const next = walks.list(7);
  left.abort(new Error('left'));
  await expect(found).rejects.toThrow('left');
  opened?.end(5);
  await first;
  (await walk(1))?.end(7);
  expect((await next).elements).toHaveLength(7);
  expect(started).toHaveLength(2);
});
