import type { Readable } from 'node:stream';
import { onAbort } from '../lib/async/abort.js';
import { Encoder } from './encoder.js';
import { FramePacer, type Source } from './frame-pacer.js';
import type { SoundBuffer } from './sound.js';
import type { VideoOptions } from './video.js';

interface RecordOptions {
  readonly source: Source;
  readonly video: VideoOptions;
  /** By default there is no track for sound. */
  readonly sound?: SoundBuffer | undefined;
  /** Length of the recording; without it, it ends when the reader disconnects. */
  readonly durationMs?: number;
  /** Ends the recording early; it contains everything up to then. */
  readonly signal: AbortSignal;
}

export interface Recording {
  /** A fragmented MP4 file. Destroying it ends the recording. */
  readonly video: Readable;
  /** Resolves when the encoder has exited. */
  readonly ended: Promise<void>;
}

/**
 * Records the screen. Ends after `durationMs`, with the signal, when the reader disconnects, and
 * when the screen is resized, which a file cannot represent.
 */
export async function record(options: RecordOptions): Promise<Recording> {
  const { source, video, sound, durationMs, signal } = options;
  const encoder = await Encoder.open(source.frame.size, { container: 'mp4', video, sound });
  const finish = () => {
    clearTimeout(timer);
    pacer.stop();
    encoder.finish();
  };
  const pacer = new FramePacer({ fps: video.fps, source, sink: encoder, onResize: () => finish() });
  const timer = durationMs === undefined ? undefined : setTimeout(finish, durationMs);
  const dispose = onAbort(signal, finish);
  const gone = new Promise<void>((resolve) => encoder.output.once('close', resolve));
  const ended = gone.then(async () => {
    dispose();
    finish();
    await encoder.kill();
  });
  return { video: encoder.output, ended };
}
