import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { ServiceError } from '../../../client/errors.js';
import { type NodeProcess, openNodeProcess } from '../../../client/node/process.js';
import { shellWord } from '../../../lib/text/shell-word.js';
import { CliError, UsageError } from '../../errors/cli-error.js';
import type { Context } from '../../framework/context.js';
import { argument, defineCommand, flag } from '../../framework/define.js';
import { text } from '../../input/parse.js';
import { webAddress } from '../../input/web-address.js';
import { done, note, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { computerAddress, inCommands } from '../../targets/computer-address.js';
import { onComputer, runningComputer } from '../../targets/computers.js';

const BROWSERS = 'chromium google-chrome firefox firefox-esr epiphany x-www-browser';
const NO_BROWSER = 127;
const NO_FILE = 66;
const NO_WINDOW = 75;
/** Seconds for a window of the browser, and for a stable screen. */
const WINDOW = 60;
const STABLE = 15;
/** Kept of what the browser's start prints: a name, or an error. */
const MOST_BYTES = 4096;

/**
 * Opens $1, which is the file $2 unless that is empty, in the first browser of the image, apart from
 * this process. Prints its name. Waits at most $3 seconds until it has a window.
 */
const OPEN = `[ -z "$2" ] || [ -e "$2" ] || exit ${NO_FILE}
for browser in ${BROWSERS}; do
  command -v "$browser" >/dev/null || continue
  echo "$browser"
  setsid --fork "$browser" "$1" </dev/null >/dev/null 2>&1 || exit
  # A window has another class than this link.
  [ "$3" != 0 ] && [ "$browser" != x-www-browser ] && command -v xdotool >/dev/null || exit 0
  end=$(($(date +%s) + $3))
  # Asked once: a search fails, too, when another window closes meanwhile.
  until xdotool search --onlyvisible --class "$browser" >/dev/null 2>&1; do
    [ "$(date +%s)" -lt $end ] || exit ${NO_WINDOW}
    sleep 0.2
  done
  exit 0
done
exit ${NO_BROWSER}`;

export const command = defineCommand({
  name: 'open',
  summary: 'Open a web page in the browser of a computer',
  details: [
    'Starts the browser if it does not run, else opens a new tab, and waits until its window is there',
    `(at most ${WINDOW} s) and the screen is stable (at most ${STABLE} s). Takes http, https and file`,
    'addresses; example.com is short for https://example.com. The image must have a browser, as linux does.',
  ].join(' '),
  arguments: {
    computer: runningComputer,
    url: argument('url', 'address of the page', text),
  },
  options: {
    wait: flag('--no-wait', 'do not wait for the page'),
  },
  fields: ['url', 'browser', 'stable'],
  examples: [
    { does: 'Open a page', command: 'vc open demo/desktop https://example.com' },
    { does: 'Open a file of the computer', command: 'vc open demo/desktop file:///etc/hosts' },
  ],
  async run(context, { computer, url: given }, { wait }) {
    await refuseLocalFile(context, given, computer);
    const url = addressOf(given);
    const file = url.startsWith('file:') ? decodeURIComponent(new URL(url).pathname) : '';
    const address = await computerAddress(context, computer);
    const client = await context.client();
    // The address is an argument of its own, so no shell interprets it.
    const starting = openNodeProcess(client, address, {
      argv: ['sh', '-c', OPEN, 'sh', url, file, wait ? `${WINDOW}` : '0'],
      signal: context.interrupts.signal,
    });
    const progress = context.progress(`Opening ${url}`);
    const browser = await during(
      progress,
      starting.then((remote) => browserOf(remote, computer, file)),
    );
    const stable = wait ? await during(progress, isStable(context, computer)) : undefined;
    if (context.globals.json) return void (await printJson(context, { url, browser, stable }));
    await done(context, `opened ${url} in ${browser}`);
    if (stable === false) await note(context, 'the screen still changes');
    await noteScreen(context, computer);
  },
});

function addressOf(given: string): string {
  try {
    return webAddress(given);
  } catch (error) {
    throw error instanceof UsageError
      ? new UsageError(`URL: ${error.message}`, error.remedy)
      : error;
  }
}

/** A page of this machine cannot be opened, and its name may look like that of a host. */
async function refuseLocalFile(context: Context, given: string, computer: string): Promise<void> {
  if (/^[a-z]+:/i.test(given)) return;
  const isFile = await stat(resolve(context.cwd, given)).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) return;
  const name = inCommands(context, computer);
  const copy = `vc cp ${shellWord(given)} ${name}:`;
  const page = pathToFileURL(`/home/user/${basename(given)}`).href;
  const remedy = `copy it first: ${copy} && vc open ${name} ${shellWord(page)}; for a host of that name write https://`;
  throw new UsageError(`URL: ${given} is a file of this machine`, remedy);
}

/** Waits until the screen is stable; false if it still changes. */
async function isStable(context: Context, computer: string): Promise<boolean> {
  try {
    await onComputer(context, 'wait', computer, { until: 'stable', timeout: STABLE });
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'guest_timeout') return false;
    throw error;
  }
}

async function browserOf(remote: NodeProcess, computer: string, file: string): Promise<string> {
  remote.stdin.end();
  const [printed, failure, exit] = await Promise.all([
    lastOf(remote.stdout),
    lastOf(remote.stderr),
    remote.exited,
  ]);
  if (exit.code === 0) return printed.trim();
  if (exit.code === NO_BROWSER) {
    throw new CliError(`${computer} has no browser`, {
      remedy: 'use a computer with the image linux, or install a browser: vc shell COMPUTER',
      code: 'unsupported',
    });
  }
  if (exit.code === NO_FILE) {
    throw new CliError(`${computer} has no file ${file}`, {
      remedy: `copy it first: vc cp FILE ${shellWord(`${computer}:${file}`)}`,
      code: 'not_found',
    });
  }
  if (exit.code === NO_WINDOW) {
    throw new CliError(`${printed.trim()} opened no window in ${computer} within ${WINDOW} s`, {
      remedy: `see its screen: vc screenshot ${shellWord(computer)} --show`,
    });
  }
  const reason = failure.trim().split('\n').at(-1) ?? '';
  throw new CliError(`the browser of ${computer} did not start: ${reason || `exit ${exit.code}`}`);
}

/** The end of an output, which may have any length. */
async function lastOf(stream: Readable): Promise<string> {
  let kept = Buffer.alloc(0);
  for await (const chunk of stream) {
    kept = Buffer.concat([kept, chunk as Buffer]).subarray(-MOST_BYTES);
  }
  return kept.toString();
}

function noteScreen(context: Context, computer: string): Promise<void> {
  return note(context, `to see it: vc view ${inCommands(context, computer)}`);
}
