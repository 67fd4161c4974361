import type { Readable } from 'node:stream';
import { computerParameters } from '../../../client/address.js';
import { computerAddress } from '../../address.js';
import { runningComputer } from '../../computers.js';
import type { Context } from '../../context.js';
import { choice, defineCommand, value } from '../../define.js';
import { CliError, InterruptedError, UsageError } from '../../errors.js';
import { openFileWhole } from '../../files.js';
import { write } from '../../io.js';
import { WholeFragments } from '../../mp4.js';
import { done, print, printJson } from '../../output.js';
import { nonEmpty, seconds } from '../../parse.js';
import { during } from '../../progress.js';
import { size } from '../../size.js';

const LONGEST_SECONDS = 86_400;

export const command = defineCommand({
  name: 'record',
  summary: 'Film the screen into an MP4 file',
  details: [
    'Ends at its time, or with Ctrl-C: the file is whole either way. It ends as well when the',
    "computer is stopped or its screen's size changes.",
  ].join(' '),
  arguments: { computer: runningComputer },
  options: {
    output: value('-o, --output <file>', 'where to put it; - is stdout', nonEmpty),
    for: value(
      '--for <time>',
      'end after so long, such as 10s or 2m',
      seconds({ min: 0.5, max: LONGEST_SECONDS }),
      {
        otherwise: 'until Ctrl-C',
      },
    ),
    fps: choice('--fps <n>', 'frames a second', ['15', '30', '60'], { otherwise: '30' }),
  },
  examples: [
    { does: 'Film ten seconds', command: 'vc computer record demo/desktop -o clip.mp4 --for 10s' },
    { does: 'Film until Ctrl-C', command: 'vc computer record demo/desktop -o clip.mp4' },
  ],
  async run(context, { computer }, { output, for: duration, fps }) {
    const { stdout } = context.io;
    const toStdout = output === '-' || (output === undefined && !stdout.isTTY);
    if (toStdout && stdout.isTTY) {
      throw new UsageError('a video would garble the terminal', 'use -o FILE');
    }
    if (!toStdout && output === undefined)
      throw new UsageError('where is the film to go?', 'give a file: -o clip.mp4; - is stdout');
    const params = computerParameters(await computerAddress(context, computer));
    const client = await context.client();
    const stopping = new AbortController();
    const release = context.interrupts.capture(() => stopping.abort());
    try {
      const query = { duration, fps: fps === undefined ? undefined : Number(fps) };
      const options = { params, query, signal: stopping.signal };
      const video = await client.requestStream('record', 'video/mp4', options);
      const saving = toStdout
        ? copy(video, stopping.signal, (bytes) => write(stdout, bytes)).then(complete)
        : save(context, output ?? '', video, stopping.signal);
      await during(context.progress(`Filming ${computer}; Ctrl-C ends it`), saving);
    } catch (error) {
      throw stopping.signal.aborted && !(error instanceof CliError)
        ? new InterruptedError()
        : error;
    } finally {
      release();
    }
    return undefined;
  },
});

/** The file appears at the end, and then holds what was filmed until then. */
async function save(
  context: Context,
  path: string,
  video: Readable,
  signal: AbortSignal,
): Promise<void> {
  const file = await openFileWhole(context.cwd, path);
  try {
    const copied = await copy(video, signal, (part) => file.write(part));
    const { bytes } = copied;
    // What was filmed before a failure is kept, and then the failure is told.
    if (bytes > 0) await file.commit();
    complete(copied);
    if (bytes === 0) throw new CliError('nothing was filmed: it ended before the first picture');
    if (context.globals.json) await printJson(context, { path, bytes });
    else if (context.globals.quiet) await print(context, path);
    else await done(context, `wrote ${path} (${size(bytes)})`);
  } finally {
    await file.discard();
  }
}

interface Copied {
  /** Length of what was copied, which is a whole file. */
  readonly bytes: number;
  readonly failure?: unknown;
}

/** Copies what makes a whole file until the video ends, breaks off or the signal comes. */
async function copy(
  video: Readable,
  signal: AbortSignal,
  take: (bytes: Buffer) => Promise<void>,
): Promise<Copied> {
  const fragments = new WholeFragments();
  let bytes = 0;
  try {
    for await (const chunk of video) {
      const whole = fragments.push(chunk as Buffer);
      if (whole.length > 0) await take(whole);
      bytes += whole.length;
    }
  } catch (failure) {
    if (!signal.aborted) return { bytes, failure };
  }
  return { bytes };
}

/** Throws when the video broke off. */
function complete({ failure }: Copied): void {
  if (failure === undefined) return;
  if (failure instanceof CliError) throw failure;
  throw new CliError('the service broke off; what was filmed until then is kept', {
    cause: failure,
  });
}
