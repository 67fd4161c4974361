import type { Ora } from 'ora';
import { printable } from '../../lib/text/printable.js';
import type { Environment } from '../../profile/index.js';
import type { Io } from '../framework/io.js';

/** A spinner with a text, which may be of a service or guest: its control characters are replaced. */
export interface Progress {
  update(text: string): void;
  stop(): void;
}

/** For work that shows nothing, or something else. */
export const silentProgress: Progress = { update: () => {}, stop: () => {} };

/** Shorter work shows no spinner and does not load one. */
const DELAY_MS = 300;

interface ProgressOptions {
  readonly io: Io;
  readonly env: Environment;
  readonly globals: { readonly json: boolean; readonly quiet: boolean; readonly color: boolean };
}

/** Shows a spinner on stderr if that is a terminal; nothing with --json or --quiet, or in CI. */
export function startProgress(text: string, { io, globals, env }: ProgressOptions): Progress {
  // Of a terminal without a width, ora would clear lines without end.
  const isWide = io.stderr.columns !== 0;
  const canMove = io.stderr.isTTY === true && isWide && env.TERM !== 'dumb' && !env.CI;
  if (!canMove || globals.json || globals.quiet) return silentProgress;
  let current = printable(text);
  let spinner: Ora | undefined;
  let isStopped = false;
  const timer = setTimeout(async () => {
    const { default: ora } = await import('ora');
    if (isStopped) return;
    // discardStdin would put the terminal in raw mode.
    const stream = io.stderr as NodeJS.WritableStream;
    const color = globals.color && !env.NO_COLOR ? 'cyan' : false;
    // Otherwise ora reads the environment of this process.
    const isEnabled = true;
    spinner = ora({ text: current, stream, discardStdin: false, color, isEnabled }).start();
  }, DELAY_MS);
  timer.unref();
  return {
    update: (next) => {
      current = printable(next);
      if (spinner !== undefined) spinner.text = current;
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      spinner?.stop();
    },
  };
}

/** Shows progress until `work` settles. */
export async function during<T>(progress: Progress, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } finally {
    progress.stop();
  }
}
