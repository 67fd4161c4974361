import { resolve } from 'node:path';
import { computerParameters } from '../../../client/http/address.js';
import type { ByteSource } from '../../../client/http/transport.js';
import { FRAME_RATES } from '../../../contract/constants.js';
import { openOutputFile } from '../../../lib/fs/output-file.js';
import { CliError, InterruptedError, UsageError } from '../../errors/cli-error.js';
import { cannotWrite } from '../../errors/file-errors.js';
import type { Context } from '../../framework/context.js';
import { choice, defineCommand, flag, value } from '../../framework/define.js';
import { write } from '../../framework/io.js';
import { duration } from '../../input/duration.js';
import { defaultName, outputExtension } from '../../input/output-file.js';
import { asTexts, nonEmpty } from '../../input/parse.js';
import { FragmentBuffer } from '../../output/mp4-fragments.js';
import { done, print, printJson } from '../../output/print.js';
import { size } from '../../output/size.js';
import { clock, elapsedProgress } from '../../output/time/elapsed.js';
import { computerAddress, describeAddress } from '../../targets/computer-address.js';
import { namedOrOnly, optionalRunningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'record',
  summary: 'Record the screen to an MP4 file',
  details: [
    'Records until Ctrl-C or for the time of --for. Also ends when the computer stops or its',
    'resolution changes. The file is complete in each case. Without -o, it is a new file in the',
    'current directory, and in a pipe the video goes to stdout.',
  ].join(' '),
  arguments: { computer: optionalRunningComputer },
  options: {
    output: value('-o, --output <file>', '.mp4 file to write, or - for stdout', nonEmpty),
    for: value(
      '--for <duration>',
      'how long to record',
      duration({ unit: 's', min: '500ms', max: '24h' }),
      { otherwise: 'until Ctrl-C' },
    ),
    fps: choice('--fps <n>', 'frames per second', asTexts(FRAME_RATES), { otherwise: '30' }),
    audio: flag('--audio', 'record the sound of the computer as well'),
  },
  examples: [
    {
      does: 'Record ten seconds',
      command: 'vc record demo/desktop -o clip.mp4 --for 10s',
    },
    { does: 'Record until Ctrl-C', command: 'vc record demo/desktop' },
  ],
  async run(context, { computer: given }, { output, for: time, fps, audio }) {
    const { stdout } = context.io;
    const toStdout = output === '-' || (output === undefined && !stdout.isTTY);
    if (toStdout && stdout.isTTY) {
      throw new UsageError('cannot print a video on a terminal', 'use -o FILE');
    }
    if (!toStdout && output !== undefined) outputExtension(output, ['.mp4'], 'use .mp4');
    const computer = await namedOrOnly(context, given);
    const address = await computerAddress(context, computer);
    const params = computerParameters(address);
    const client = await context.client();
    const stopping = new AbortController();
    const release = context.interrupts.capture(() => stopping.abort());
    try {
      const query = {
        duration: time,
        fps: fps === undefined ? undefined : (Number(fps) as (typeof FRAME_RATES)[number]),
        audio: audio || undefined,
      };
      const options = { params, query, signal: stopping.signal };
      const video = await client.requestStream('record', 'video/mp4', options);
      const path = output ?? defaultName(describeAddress(address), '.mp4', context.now());
      const saving = toStdout
        ? copy(video, stopping.signal, (bytes) => write(stdout, bytes)).then(throwFailure)
        : save(context, path, video, stopping.signal);
      const limit = time === undefined ? '' : ` of ${clock(time)}`;
      const progress = elapsedProgress(
        context,
        (elapsed) => `Recording ${computer}: ${elapsed}${limit}; stop with Ctrl-C`,
      );
      await saving.finally(progress.stop);
    } catch (error) {
      throw stopping.signal.aborted && !(error instanceof CliError)
        ? new InterruptedError()
        : error;
    } finally {
      release();
    }
  },
});

/** Writes the video to a file that appears when the recording has ended. */
async function save(
  context: Context,
  path: string,
  video: ByteSource,
  signal: AbortSignal,
): Promise<void> {
  const unwritable = (cause: unknown) => {
    throw cannotWrite(path, cause);
  };
  const file = await openOutputFile(resolve(context.cwd, path), { signal }).catch(unwritable);
  try {
    const copied = await copy(video, signal, (part) => file.write(part).catch(unwritable));
    const { bytes } = copied;
    // Keep what was recorded before a failure.
    if (bytes > 0) await file.commit().catch(unwritable);
    throwFailure(copied);
    if (bytes === 0)
      throw new CliError('nothing was recorded: the recording ended before the first frame');
    if (context.globals.json) await printJson(context, { path, bytes });
    else if (context.globals.quiet) await print(context, path);
    else await done(context, `wrote ${path} (${size(bytes)})`);
  } finally {
    await file.discard();
  }
}

interface Copied {
  /** Length of the copied file. */
  readonly bytes: number;
  readonly failure?: unknown;
}

/** Copies complete fragments until the video ends or fails, or the signal is aborted. */
async function copy(
  video: ByteSource,
  signal: AbortSignal,
  take: (bytes: Buffer) => Promise<void>,
): Promise<Copied> {
  const fragments = new FragmentBuffer();
  let bytes = 0;
  try {
    for await (const chunk of video) {
      const whole = fragments.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      if (whole.length > 0) await take(whole);
      bytes += whole.length;
    }
  } catch (failure) {
    if (!signal.aborted) return { bytes, failure };
  }
  return { bytes };
}

/** Throws the failure, if any. */
function throwFailure({ failure }: Copied): void {
  if (failure === undefined) return;
  if (failure instanceof CliError) throw failure;
  throw new CliError(
    'the connection to the service was lost; the file has the recording up to then',
    { cause: failure },
  );
}
