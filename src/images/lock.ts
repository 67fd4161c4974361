import { once } from 'node:events';
import { execa } from 'execa';

/** Says that the lock is held, then holds it for as long as its standard input is open. */
const HOLD = 'echo held; exec cat';

/**
 * Runs `work` while this process alone holds the lock of the file `path`, which is created. Waits
 * for another holder, in this process or any other. The kernel gives the lock up when its holder
 * dies, so no crash leaves it behind. Rejects with the signal's reason when that aborts the wait.
 */
export async function withFileLock<T>(
  path: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const holder = execa('flock', ['--exclusive', path, 'sh', '-c', HOLD], {
    reject: false,
    ...(signal && { cancelSignal: signal }),
  });
  const held = once(holder.stdout, 'data').then(() => true);
  const ended = holder.then(() => false);
  try {
    if (!(await Promise.race([held, ended]))) {
      signal?.throwIfAborted();
      throw new Error(`Cannot lock ${path}; flock of util-linux is needed.`, {
        cause: await holder,
      });
    }
    return await work();
  } finally {
    holder.stdin.end();
    await holder;
  }
}
