import { abortable } from '../lib/async/abort.js';
import { type AddressRules, resolveTarget } from './addresses.js';
import { dial } from './dial.js';
import { Encoder } from './encoder.js';
import { FlvReader } from './flv.js';
import { FramePacer, type Source } from './frame-pacer.js';
import { Publisher } from './rtmp/publisher.js';
import type { SoundBuffer } from './sound.js';
import type { Target } from './target.js';
import type { VideoOptions } from './video.js';

/** Milliseconds without output until the encoder counts as stuck. */
const STUCK_MS = 10_000;

export interface PublishOptions {
  readonly target: Target;
  readonly rules: AddressRules;
  readonly video: VideoOptions;
  readonly source: Source;
  /** By default the track for sound is silent. */
  readonly sound?: SoundBuffer | undefined;
}

/**
 * Streams once: connects, starts the encoder, and sends frames. Resolves when the screen was
 * resized, which needs a new stream; rejects when the target or the encoder fails, or with the
 * signal's reason. Leaves nothing running. Calls `onLive` with ffmpeg's process id when the first
 * frame is sent.
 */
export async function publish(
  { target, rules, video, source, sound }: PublishOptions,
  signal: AbortSignal,
  onLive: (pid: number) => void,
): Promise<void> {
  let publisher: Publisher | undefined;
  let encoder: Encoder | undefined;
  let pacer: FramePacer | undefined;
  try {
    const addresses = await resolveTarget(target, rules, signal);
    publisher = await Publisher.open(await dial(target, addresses, signal), target);
    signal.throwIfAborted();
    const { size } = source.frame;
    const sink = await Encoder.open(size, { container: 'flv', video, sound });
    encoder = sink;
    const resized = new Promise<void>((resolve) => {
      pacer = new FramePacer({ fps: video.fps, source, sink, onResize: resolve });
    });
    const end = Promise.race([resized, sendTags(sink, publisher, onLive), publisher.failed]);
    await abortable(end, signal);
  } finally {
    pacer?.stop();
    publisher?.close();
    await encoder?.kill();
  }
}

/** Sends the encoder's tags to the server with backpressure. */
async function sendTags(
  encoder: Encoder,
  publisher: Publisher,
  onLive: (pid: number) => void,
): Promise<void> {
  const reader = new FlvReader();
  const onStuck = () => encoder.output.destroy(new Error('ffmpeg is stuck'));
  let watchdog = setTimeout(onStuck, STUCK_MS);
  let isLive = false;
  try {
    for await (const chunk of encoder.output) {
      clearTimeout(watchdog);
      let isFlowing = true;
      for (const tag of reader.push(chunk)) {
        isFlowing = publisher.send(tag) && isFlowing;
        if (isLive || tag.kind !== 'video') continue;
        isLive = true;
        onLive(encoder.pid);
      }
      if (!isFlowing) await publisher.drained();
      watchdog = setTimeout(onStuck, STUCK_MS);
    }
  } finally {
    clearTimeout(watchdog);
  }
  // Rejects with ffmpeg's failure, if there was one.
  await encoder.ended;
  throw new Error('ffmpeg ended');
}
