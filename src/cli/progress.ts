import type { Ora } from 'ora';
import type { Environment } from '../profile/index.js';
import type { Globals } from './context.js';
import type { Io } from './io.js';

/** Something that goes on, shown to a person. */
export interface Progress {
  update(text: string): void;
  stop(): void;
}

/** Work shorter than this shows nothing, and does not pay for loading a spinner. */
const PATIENCE_MS = 300;

/** A spinner on stderr where that is a terminal and someone wants to see it; nothing otherwise. */
export function startProgress(
  text: string,
  { io, globals, env }: { io: Io; globals: Globals; env: Environment },
): Progress {
  const isShown = io.stderr.isTTY === true && !globals.json && !globals.quiet && !env.CI;
  if (!isShown) return { update: () => {}, stop: () => {} };
  let current = text;
  let spinner: Ora | undefined;
  let isStopped = false;
  const timer = setTimeout(async () => {
    const { default: ora } = await import('ora');
    if (isStopped) return;
    // discardStdin would put the terminal in raw mode.
    const stream = io.stderr as NodeJS.WritableStream;
    const color = globals.color && !env.NO_COLOR ? 'cyan' : false;
    spinner = ora({ text: current, stream, discardStdin: false, color }).start();
  }, PATIENCE_MS);
  timer.unref();
  return {
    update: (next) => {
      current = next;
      if (spinner !== undefined) spinner.text = next;
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      spinner?.stop();
    },
  };
}

/** Shows `text` while `work` goes on, however it ends. */
export async function during<T>(progress: Progress, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } finally {
    progress.stop();
  }
}
