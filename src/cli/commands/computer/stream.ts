import { FRAME_RATES } from '../../../contract/constants.js';
import { shellWord } from '../../../lib/text/shell-word.js';
import { UsageError } from '../../errors/cli-error.js';
import type { Context } from '../../framework/context.js';
import {
  argument,
  choice,
  defineCommand,
  enumerate,
  flag,
  oneOf,
  value,
} from '../../framework/define.js';
import { asTexts, nonEmpty, number } from '../../input/parse.js';
import { done, note, print, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { inCommands, isComputerId } from '../../targets/computer-address.js';
import { computerArgument, onComputer } from '../../targets/computers.js';

const actions = ['start', 'status', 'stop'] as const;

export const command = defineCommand({
  name: 'stream',
  summary: 'Stream the screen to an RTMP target',
  details: [
    'The service encodes and sends the stream in the background. If the target disconnects, the',
    'service tries to reconnect for a minute. See `vc computer stream status`.',
  ].join(' '),
  arguments: {
    action: argument('action', 'start, status or stop', parseAction, { choices: actions }),
    computer: computerArgument,
  },
  options: {
    connection: value(
      '--connection <name>',
      'name of the target; see: vc connection ls',
      nonEmpty,
      {
        completes: 'connection',
      },
    ),
    url: value('--url <url>', 'URL of the target; visible in the process list', nonEmpty),
    fps: choice('--fps <n>', 'frames per second', asTexts(FRAME_RATES), { otherwise: '30' }),
    bitrate: value(
      '--bitrate <kbps>',
      'bitrate in kbit/s',
      number({ min: 200, max: 20_000, unit: 'kbit/s' }),
      { otherwise: '3000' },
    ),
    audio: flag('--audio', 'stream the sound of the computer as well'),
  },
  examples: [
    {
      does: 'Stream to a connection',
      command: 'vc computer stream start demo/desktop --connection show',
    },
    { does: 'Show the status', command: 'vc computer stream status demo/desktop' },
    { does: 'Stop the stream', command: 'vc computer stream stop demo/desktop' },
  ],
  async run(context, { action, computer }, options) {
    const given = Object.entries(options).filter(([, set]) => set !== undefined && set !== false);
    if (action !== 'start' && given.length > 0) {
      throw new UsageError(`--${given[0]?.[0]} is only for start`);
    }
    if (action === 'start') await start(context, computer, options);
    else if (action === 'stop') await stop(context, computer);
    else await status(context, computer);
  },
});

/** Parses an action; explains the order if a computer is given instead. */
function parseAction(word: string): (typeof actions)[number] {
  if (!word.includes('/') && !isComputerId(word)) return oneOf(actions)(word);
  throw new UsageError(
    `must be ${enumerate(actions)}, before the computer`,
    `for example: vc computer stream start ${shellWord(word)}`,
  );
}

interface StartOptions {
  readonly connection: string | undefined;
  readonly url: string | undefined;
  readonly fps: '15' | '30' | '60' | undefined;
  readonly bitrate: number | undefined;
  readonly audio: boolean;
}

async function start(context: Context, computer: string, options: StartOptions): Promise<void> {
  const { connection, url, fps, bitrate, audio } = options;
  if ((connection === undefined) === (url === undefined)) {
    throw new UsageError('no target given', 'use --connection NAME or --url URL');
  }
  const target = { connection_name: connection, url };
  const rate = fps === undefined ? undefined : (Number(fps) as 15 | 30 | 60);
  const answer = await during(
    context.progress(`Starting the stream of ${computer}`),
    onComputer(context, 'startStream', computer, {
      ...target,
      fps: rate,
      bitrate,
      ...(audio && { audio }),
    }),
  );
  if (context.globals.json) await printJson(context, answer);
  else {
    await done(context, `streaming ${computer}`);
    await note(context, `to stop: vc computer stream stop ${inCommands(context, computer)}`);
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
