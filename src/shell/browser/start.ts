import { ApiError } from '../../contract/errors.js';
import { within } from '../../lib/async/deadline.js';
import type { Shell, ShellProcess } from '../types.js';
import { type BrowserEndpoint, parseEndpoint } from './endpoint.js';
import { keptBrowser, temporaryBrowser } from './scripts.js';

/** Milliseconds for finding or starting it, longer than the script waits itself. */
const START_MS = 110_000;
/** Milliseconds for its end. */
const END_MS = 10_000;
/** Longest line of the script. */
const MOST_BYTES = 4096;

/**
 * Finds or starts the browser of the kept profile. `args` are for one that is started: throws
 * `conflict` if it runs and they are not optional.
 */
export async function openKeptBrowser(
  shell: Shell,
  args: readonly string[],
  {
    isOptional,
    signal,
  }: { readonly isOptional: boolean; readonly signal?: AbortSignal | undefined },
): Promise<BrowserEndpoint> {
  const { stdout } = await shell.run({
    command: keptBrowser(args),
    interpreter: 'bash',
    timeoutMs: START_MS,
    background: false,
    ...(signal && { signal }),
  });
  const endpoint = parseEndpoint(stdout.slice(0, MOST_BYTES));
  if (!endpoint.started && !isOptional) {
    throw new ApiError('conflict', 'The browser is running already, with other options.', {
      remedy: 'Close its windows first, leave out the options, or use the profile temporary.',
    });
  }
  return endpoint;
}

/** A browser with an empty profile, which ends with its process in the guest. */
export interface TemporaryBrowser {
  readonly endpoint: BrowserEndpoint;
  readonly process: ShellProcess;
}

/** Starts a browser with an empty profile, which ends when the input of its process does. */
export async function startTemporaryBrowser(
  shell: Shell,
  args: readonly string[],
  signal: AbortSignal,
): Promise<TemporaryBrowser> {
  const killing = new AbortController();
  const argv = ['bash', '-c', temporaryBrowser(args)];
  const child = await shell.spawn({ argv }, killing.signal);
  child.stderr.resume();
  const onTimeout = () =>
    new ApiError('guest_timeout', 'Chromium did not open its debugging port in time.');
  try {
    const line = await within(firstLine(child), { ms: START_MS, onTimeout, signal });
    return { endpoint: parseEndpoint(line), process: child };
  } catch (error) {
    // The script removes the profile, which a kill would not let it do.
    child.stdin.end();
    const kill = setTimeout(() => killing.abort(error), END_MS).unref();
    child.exit.catch(() => undefined).finally(() => clearTimeout(kill));
    throw error;
  }
}

function firstLine({ stdout }: ShellProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes('\n') && text.length < MOST_BYTES) return;
      stdout.off('data', onData);
      stdout.resume();
      resolve(text.split('\n')[0] ?? '');
    };
    stdout.on('data', onData);
    stdout.once('end', () => resolve(text));
    stdout.once('error', reject);
  });
}
