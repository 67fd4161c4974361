// @module-tag slow
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Condition } from '../../../src/contract/actions/actions.js';
import { type GuestState, watchConditions } from '../../../src/shell/conditions/watch.js';
import type { Shell } from '../../../src/shell/types.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'vc-conditions-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Runs the program here, with a home directory of its own. */
const local = {
  spawn: async (input, signal) => {
    if (!('argv' in input)) throw new Error('it has arguments');
    const [file = '', ...args] = input.argv;
    const child = execa(file, args, {
      env: { HOME: home },
      reject: false,
      buffer: false,
      ...(signal && { cancelSignal: signal }),
    });
    return {
      stdin: child.stdin,
      stdout: child.stdout,
      stderr: child.stderr,
      exit: child.then(({ exitCode }) => ({ code: exitCode ?? null, signal: null })),
      end: async () => undefined,
      resize: () => undefined,
      kill: async () => void child.kill('SIGKILL'),
    };
  },
} as Pick<Shell, 'spawn'> as Shell;

/** Watches until `isDone` holds, after each change of the states. */
async function watchUntil(
  conditions: readonly Condition[],
  isDone: (states: readonly GuestState[]) => boolean,
): Promise<readonly GuestState[]> {
  const done = new AbortController();
  let last: readonly GuestState[] = [];
  const onStates = (states: readonly GuestState[]) => {
    last = states;
    if (isDone(states)) done.abort();
  };
  await watchConditions(local, { conditions, seconds: 20, onStates }, done.signal).catch(
    (error) => {
      if (!done.signal.aborted) throw error;
    },
  );
  return last;
}

it('sees files that appear and grow', async () => {
  const conditions = [{ file: 'report.pdf' }, { file: '~/report.pdf', size_above: 3 }];
  const states = await watchUntil(conditions, ([exists, isLarge]) => {
    if (!exists?.holds) writeFileSync(join(home, 'report.pdf'), 'abc');
    else appendFileSync(join(home, 'report.pdf'), 'd');
    return isLarge?.holds ?? false;
  });
  expect(states.map(({ holds }) => holds)).toEqual([true, true]);
  expect(states[1]?.seen).toMatch(/^\d bytes$/);
});

it('sees a port that a program listens on', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const first = await watchUntil([{ port }], () => true);
  expect(first).toEqual([{ holds: true, seen: expect.stringContaining('listening: ') }]);
  await new Promise((resolve) => server.close(resolve));
  expect(await watchUntil([{ port }], () => true)).toMatchObject([{ holds: false }]);
});

it('sees how a command ends', async () => {
  const conditions = [{ command: 'exit 3' }, { command: `test -e here && echo "it's 'quoted'"` }];
  const states = await watchUntil(conditions, ([, exists]) => {
    writeFileSync(join(home, 'here'), '');
    return exists?.holds ?? false;
  });
  expect(states).toEqual([
    { holds: false, seen: 'exit code 3' },
    { holds: true, seen: 'exit code 0' },
  ]);
});

it('looks at the other conditions while a command runs, and leaves nothing of it', async () => {
  const conditions = [{ command: `sleep 60 & echo $! >pid; wait` }, { file: 'pid' }];
  const states = await watchUntil(conditions, ([, exists]) => exists?.holds ?? false);
  expect(states[0]).toEqual({ holds: undefined, seen: 'it runs' });
  const pid = Number(readFileSync(join(home, 'pid'), 'utf8'));
  await expect
    .poll(() => existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/stat`, 'utf8'))
    .toSatisfy((stat) => stat === false || / Z /.test(String(stat)));
});

it('sees no window and no page where there is no screen and no browser', async () => {
  const states = await watchUntil([{ window: 'x' }, { url: 'y' }], () => true);
  // Without a screen nobody knows the windows.
  expect(states).toEqual([
    { holds: undefined, seen: expect.stringMatching(/^not known: /) },
    { holds: false, seen: 'no page' },
  ]);
});

/** A guest whose program prints `chunks` and ends with `code`. */
function printing(chunks: Iterable<Buffer>, code: number | null): Shell {
  const spawn: Shell['spawn'] = async () => ({
    stdin: new PassThrough().resume(),
    stdout: Readable.from(chunks),
    stderr: Readable.from([]),
    exit: Promise.resolve({ code, signal: null }),
    end: async () => undefined,
    resize: () => undefined,
    kill: async () => undefined,
  });
  return { spawn } as Pick<Shell, 'spawn'> as Shell;
}

it.each([
  ['another program', ['hello\n'], 0, 'guest_failed'],
  ['states of other conditions', ['[[true, "a"], [true, "b"]]\n'], 0, 'guest_failed'],
  ['states of other types', ['[[1, "a"]]\n'], 0, 'guest_failed'],
  ['a failure', [], 1, 'guest_failed'],
  ['an early end', ['[[null, "a"]]\n'], 0, 'guest_failed'],
  ['no Python', [], 127, 'unsupported'],
])('refuses %s', async (_, lines, exit, code) => {
  const shell = printing(lines.map(Buffer.from), exit);
  const request = { conditions: [{ port: 1 }], seconds: 1, onStates: () => undefined };
  await expect(watchConditions(shell, request, new AbortController().signal)).rejects.toMatchObject(
    { code },
  );
});

it('keeps little of a line without an end', async () => {
  let sent = 0;
  function* endless() {
    for (;;) {
      sent += 16_384;
      yield Buffer.alloc(16_384, 'x');
    }
  }
  const request = { conditions: [{ port: 1 }], seconds: 1, onStates: () => undefined };
  await expect(
    watchConditions(printing(endless(), 0), request, new AbortController().signal),
  ).rejects.toMatchObject({ code: 'guest_failed' });
  expect(sent).toBeLessThan(1024 * 1024);
});
