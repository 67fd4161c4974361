import type { Readable } from 'node:stream';
import { type NodeProcess, openNodeProcess } from '../../../client/node/process.js';
import { CliError } from '../../errors/cli-error.js';
import type { Context } from '../../framework/context.js';
import { argument, defineCommand } from '../../framework/define.js';
import { webAddress } from '../../input/web-address.js';
import { done, note, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { computerAddress, inCommands } from '../../targets/computer-address.js';
import { runningComputer } from '../../targets/computers.js';

const BROWSERS = 'chromium google-chrome firefox firefox-esr epiphany x-www-browser';
const NO_BROWSER = 127;
/** Kept of what the browser's start prints: a name, or an error. */
const MOST_BYTES = 4096;

/** Opens $1 in the first browser of the image, apart from this process. Prints its name. */
const OPEN = `for browser in ${BROWSERS}; do
  command -v "$browser" >/dev/null || continue
  echo "$browser"
  exec setsid --fork "$browser" "$1" </dev/null >/dev/null 2>&1
done
exit ${NO_BROWSER}`;

export const command = defineCommand({
  name: 'open',
  summary: 'Open a web page in the browser of a computer',
  details: [
    'Starts the browser if it does not run, else opens a new tab. Takes http, https and file addresses;',
    'example.com is short for https://example.com. The image must have a browser, as linux does.',
  ].join(' '),
  arguments: {
    computer: runningComputer,
    url: argument('url', 'address of the page', webAddress),
  },
  options: {},
  fields: ['url', 'browser'],
  examples: [
    { does: 'Open a page', command: 'vc open demo/desktop https://example.com' },
    { does: 'Open a file of the computer', command: 'vc open demo/desktop file:///etc/hosts' },
  ],
  async run(context, { computer, url }) {
    const address = await computerAddress(context, computer);
    const client = await context.client();
    // The address is an argument of its own, so no shell interprets it.
    const starting = openNodeProcess(client, address, {
      argv: ['sh', '-c', OPEN, 'sh', url],
      signal: context.interrupts.signal,
    });
    const progress = context.progress(`Opening ${url}`);
    const browser = await during(
      progress,
      starting.then((remote) => browserOf(remote, computer)),
    );
    if (context.globals.json) return void (await printJson(context, { url, browser }));
    await done(context, `opened ${url} in ${browser}`);
    await noteScreen(context, computer);
  },
});

async function browserOf(remote: NodeProcess, computer: string): Promise<string> {
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
