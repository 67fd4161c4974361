import { once } from 'node:events';
import { execa } from 'execa';

/** Exit status of `flock` when another process holds the lock. */
const TAKEN = 99;
/** Reports that the lock is held, and holds it until standard input is closed. */
const HOLD = 'echo held; exec cat';

/**
 * Runs `work` while holding an exclusive lock on the file `path`, which is created if missing. Waits
 * for other holders, in this process or another. The kernel releases the lock when its holder dies.
 * Rejects with the signal's reason when that aborts the wait.
 */
export async function withFileLock<T>(
  path: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const holder = hold(path, [], signal);
  try {
    if (!(await holder.held)) {
      signal?.throwIfAborted();
      throw await unlockable(path, holder);
    }
    return await work();
  } finally {
    await holder.release();
  }
}

/** Like {@link withFileLock}, but does nothing if the lock is held. */
export async function withFileLockIfFree(path: string, work: () => Promise<void>): Promise<void> {
  const holder = hold(path, ['--nonblock', '--conflict-exit-code', String(TAKEN)], undefined);
  try {
    if (await holder.held) await work();
    else if ((await holder.result).exitCode !== TAKEN) throw await unlockable(path, holder);
  } finally {
    await holder.release();
  }
}

type Holder = ReturnType<typeof hold>;

function hold(path: string, flags: readonly string[], signal: AbortSignal | undefined) {
  const child = execa('flock', ['--exclusive', ...flags, path, 'sh', '-c', HOLD], {
    reject: false,
    // It ends when its input is closed, after the cleanup of the work under the lock.
    cleanup: false,
    ...(signal && { cancelSignal: signal }),
  });
  const result = child.then(({ exitCode, shortMessage }) => ({ exitCode, shortMessage }));
  return {
    result,
    /** False when it ended without the lock. */
    held: Promise.race([once(child.stdout, 'data').then(() => true), result.then(() => false)]),
    release: async () => {
      child.stdin.end();
      await result;
    },
  };
}

async function unlockable(path: string, { result }: Holder): Promise<Error> {
  const cause = await result;
  return new Error(`Cannot lock ${path}; flock of util-linux is needed.`, { cause });
}
