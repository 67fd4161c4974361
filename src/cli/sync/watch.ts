import type { ComputerAddress } from '../../client/http/address.js';
import { openNodeProcess } from '../../client/node/process.js';
import { abortable } from '../../lib/async/abort.js';
import { resolvesWithin } from '../../lib/async/deadline.js';
import { sleep } from '../../lib/async/sleep.js';
import { CliError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { TreeWatcher } from './tree-watcher.js';

/** Changes that come together are copied together. */
const DEBOUNCE_MS = 200;
/** rsync may notice that a computer is gone before the other connection does. */
const GONE_MS = 2000;

interface Watching {
  readonly address: ComputerAddress;
  /** Watched on this machine; without it, `remote` is watched in the computer. */
  readonly local: string | undefined;
  readonly remote: string;
  /** Copies once. */
  copy(): Promise<unknown>;
  /** The error for a computer that is not reached any more. */
  gone(): Promise<Error>;
}

/** Copies at the beginning and after each change of the source. Never resolves. */
export async function copyAndWatch(context: Context, watching: Watching): Promise<void> {
  const { address, local, remote } = watching;
  const { signal } = context.interrupts;
  const changes = new Changes();
  const program = await openNodeProcess(await context.client(), address, {
    argv: ['sh', '-c', local === undefined ? WATCH : STAY, 'sh', remote],
    signal,
  });
  const ended = program.exited.then(
    () => undefined,
    () => undefined,
  );
  ended.then(() => changes.fail(new CliError('the computer is gone')));
  // The first output says that the computer watches.
  program.stdout.on('data', () => changes.add());
  program.stderr.resume();
  let watcher: TreeWatcher | undefined;
  try {
    if (local !== undefined) watcher = watchLocally(local, changes);
    for (;;) {
      await changes.next(signal);
      // A change during a copy is seen by the next turn.
      await watching.copy();
    }
  } catch (error) {
    if (signal.aborted || !(await resolvesWithin(ended, GONE_MS))) throw error;
    throw await watching.gone();
  } finally {
    watcher?.close();
    program.close();
  }
}

/** Ends with the computer or the connection. */
const STAY = 'echo; exec cat';

/** Prints a line at the beginning, and when the directory has changed. */
const WATCH = `cd -- "$1" || exit
state() { find . -printf '%p %C@ %s %m\\n' 2>/dev/null | cksum; }
old=$(state)
echo
while sleep 1; do
  new=$(state)
  [ "$new" = "$old" ] || echo
  old=$new
done`;

function watchLocally(path: string, changes: Changes): TreeWatcher {
  const onError = (cause: NodeJS.ErrnoException) => {
    const remedy =
      cause.code === 'ENOSPC'
        ? 'allow more watches: sudo sysctl fs.inotify.max_user_watches=524288'
        : undefined;
    changes.fail(new CliError(`cannot watch ${path}: ${cause.message}`, { remedy, cause }));
  };
  return new TreeWatcher(path, { onChange: () => changes.add(), onError });
}

/** Collects changes until someone waits for them. */
class Changes {
  #has = false;
  #error: Error | undefined;
  #wake = () => {};

  add(): void {
    this.#has = true;
    this.#wake();
  }

  fail(error: Error): void {
    this.#error ??= error;
    this.#wake();
  }

  /** Resolves a moment after a change since the last call. */
  async next(signal: AbortSignal): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (!this.#has && this.#error === undefined) await abortable(woken, signal);
    if (this.#error !== undefined) throw this.#error;
    await sleep(DEBOUNCE_MS, signal);
    this.#has = false;
  }
}
