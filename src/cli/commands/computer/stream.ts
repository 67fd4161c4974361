import { inCommands, isComputerId } from '../../address.js';
import { computerArgument, onComputer } from '../../computers.js';
import type { Context } from '../../context.js';
import { argument, choice, defineCommand, enumerate, oneOf, value } from '../../define.js';
import { UsageError } from '../../errors.js';
import { done, note, print, printJson } from '../../output.js';
import { nonEmpty, number } from '../../parse.js';
import { during } from '../../progress.js';
import { shellWord } from '../../shell-word.js';

const actions = ['start', 'status', 'stop'] as const;

export const command = defineCommand({
  name: 'stream',
  summary: 'Stream the screen live to an RTMP target',
  details: [
    'The service encodes and sends the stream; it goes on when this command has ended. When the',
    'target goes away the service tries for a minute to get it back. The status says how it is.',
  ].join(' '),
  arguments: {
    action: argument('action', 'start, status or stop', parseAction, { choices: actions }),
    computer: computerArgument,
  },
  options: {
    connection: value('--connection <name>', 'target to stream to; see: vc connection', nonEmpty),
    url: value(
      '--url <url>',
      'the same by its URL; others can see it in the process list',
      nonEmpty,
    ),
    fps: choice('--fps <n>', 'frames a second', ['15', '30', '60'], { otherwise: '30' }),
    bitrate: value(
      '--bitrate <kbps>',
      'kilobits a second',
      number({ min: 200, max: 20_000, unit: 'kbit/s' }),
      { otherwise: '3000' },
    ),
  },
  examples: [
    {
      does: 'Stream to a connection',
      command: 'vc computer stream start demo/desktop --connection show',
    },
    { does: 'See how it goes', command: 'vc computer stream status demo/desktop' },
    { does: 'End it', command: 'vc computer stream stop demo/desktop' },
  ],
  async run(context, { action, computer }, options) {
    const given = Object.entries(options).filter(([, set]) => set !== undefined);
    if (action !== 'start' && given.length > 0) {
      throw new UsageError(`--${given[0]?.[0]} is for start`);
    }
    if (action === 'start') await start(context, computer, options);
    else if (action === 'stop') await stop(context, computer);
    else await status(context, computer);
    return undefined;
  },
});

/** One of the actions; a computer in its place is said to belong behind it. */
function parseAction(word: string): (typeof actions)[number] {
  if (!word.includes('/') && !isComputerId(word)) return oneOf(actions)(word);
  throw new UsageError(
    `must be ${enumerate(actions)}, and stand before the computer`,
    `for example: vc computer stream start ${shellWord(word)}`,
  );
}

interface StartOptions {
  readonly connection: string | undefined;
  readonly url: string | undefined;
  readonly fps: '15' | '30' | '60' | undefined;
  readonly bitrate: number | undefined;
}

async function start(context: Context, computer: string, options: StartOptions): Promise<void> {
  const { connection, url, fps, bitrate } = options;
  if ((connection === undefined) === (url === undefined)) {
    throw new UsageError('where is it to be streamed to?', 'give --connection NAME or --url URL');
  }
  const target = { connection_name: connection, url };
  const rate = fps === undefined ? undefined : (Number(fps) as 15 | 30 | 60);
  const answer = await during(
    context.progress(`Starting the stream of ${computer}`),
    onComputer(context, 'startStream', computer, { ...target, fps: rate, bitrate }),
  );
  if (context.globals.json) await printJson(context, answer);
  else {
    await done(context, `streaming ${computer}`);
    await note(context, `end it with: vc computer stream stop ${inCommands(context, computer)}`);
  }
}

async function status(context: Context, computer: string): Promise<void> {
  const answer = await onComputer(context, 'streamStatus', computer);
  if (context.globals.json) return printJson(context, answer);
  await print(context, answer.status);
  if (answer.message !== undefined) await note(context, answer.message);
}

async function stop(context: Context, computer: string): Promise<void> {
  const answer = await onComputer(context, 'stopStream', computer);
  if (context.globals.json) await printJson(context, answer);
  else await done(context, `stopped the stream of ${computer}`);
}
