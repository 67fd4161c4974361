import type { Readable } from 'node:stream';
import { Encoder } from './encoder.js';
import { Feed, type Source } from './feed.js';
import type { VideoOptions } from './video.js';

export interface RecordOptions {
  readonly source: Source;
  readonly video: VideoOptions;
  /** It ends by itself after so long; when the reader leaves if left out. */
  readonly durationMs?: number;
  /** Ends it before its time; what was seen until then is in it. */
  readonly signal: AbortSignal;
}

export interface Recording {
  /** An MP4 file in fragments. Destroying it ends the recording. */
  readonly video: Readable;
  /** Resolves when nothing of it runs any more. */
  readonly ended: Promise<void>;
}

/**
 * Films the screen. The recording ends at its time, with the signal, when its reader leaves, and
 * when the screen gets another size, which a file cannot have.
 */
export async function record(options: RecordOptions): Promise<Recording> {
  const { source, video, durationMs, signal } = options;
  const encoder = await Encoder.open(source.film.size, video, 'mp4');
  const finish = () => {
    clearTimeout(timer);
    feed.stop();
    encoder.finish();
  };
  const feed = new Feed({ fps: video.fps, source, sink: encoder, onResize: () => finish() });
  const timer = durationMs === undefined ? undefined : setTimeout(finish, durationMs);
  if (signal.aborted) finish();
  signal.addEventListener('abort', finish, { once: true });
  const gone = new Promise<void>((resolve) => encoder.output.once('close', resolve));
  const ended = gone.then(async () => {
    signal.removeEventListener('abort', finish);
    finish();
    await encoder.kill();
  });
  return { video: encoder.output, ended };
}
