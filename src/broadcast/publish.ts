import { type AddressRules, resolveTarget } from './addresses.js';
import { Encoder } from './encoder.js';
import { Feed, type Source } from './feed.js';
import { FlvReader } from './flv.js';
import { dial } from './rtmp/dial.js';
import { Publisher } from './rtmp/publisher.js';
import type { Target } from './target.js';
import type { VideoOptions } from './video.js';

/** Milliseconds without a frame out of the encoder until it counts as stuck. */
const STUCK_MS = 10_000;

export interface PublishOptions {
  readonly target: Target;
  readonly rules: AddressRules;
  readonly video: VideoOptions;
  readonly source: Source;
}

/**
 * Streams once: connects, starts the encoder, and carries frames until something ends. Resolves
 * when the screen has got another size, so that it is to be begun anew; rejects when the target
 * or the encoder fails, or with the signal's reason. Nothing is left running either way.
 * `onLive` is called with ffmpeg's process id when the first frame is on its way.
 */
export async function publish(
  { target, rules, video, source }: PublishOptions,
  signal: AbortSignal,
  onLive: (pid: number) => void,
): Promise<void> {
  const aborted = abortion(signal);
  let publisher: Publisher | undefined;
  let encoder: Encoder | undefined;
  let feed: Feed | undefined;
  try {
    const addresses = await Promise.race([resolveTarget(target, rules), aborted.promise]);
    publisher = await Publisher.open(await dial(target, addresses, signal), target);
    signal.throwIfAborted();
    const sink = await Encoder.open(source.film.size, video, 'flv');
    encoder = sink;
    const resized = new Promise<void>((resolve) => {
      feed = new Feed({ fps: video.fps, source, sink, onResize: resolve });
    });
    await Promise.race([
      resized,
      carry(sink, publisher, onLive),
      publisher.failed,
      aborted.promise,
    ]);
  } finally {
    aborted.stop();
    feed?.stop();
    publisher?.close();
    await encoder?.kill();
  }
}

/** Carries tags from the encoder to the server, no faster than that takes them. */
async function carry(
  encoder: Encoder,
  publisher: Publisher,
  onLive: (pid: number) => void,
): Promise<void> {
  const reader = new FlvReader();
  const watch = new Watch(STUCK_MS, () => encoder.output.destroy(new Error('ffmpeg is stuck')));
  let isLive = false;
  try {
    for await (const chunk of encoder.output) {
      watch.stop();
      let isFlowing = true;
      for (const tag of reader.push(chunk)) {
        isFlowing = publisher.send(tag) && isFlowing;
        if (isLive || tag.kind !== 'video') continue;
        isLive = true;
        onLive(encoder.pid);
      }
      if (!isFlowing) await publisher.drained();
      watch.start();
    }
  } finally {
    watch.stop();
  }
  // Its end has a reason, which it is about to tell.
  await encoder.ended;
  throw new Error('ffmpeg ended');
}

class Watch {
  readonly #ms: number;
  readonly #act: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, act: () => void) {
    this.#ms = ms;
    this.#act = act;
    this.start();
  }

  start(): void {
    this.#timer = setTimeout(this.#act, this.#ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** A promise that rejects with the signal's reason when it is aborted, until `stop`. */
function abortion(signal: AbortSignal): { promise: Promise<never>; stop: () => void } {
  let stop = () => {};
  const promise = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    stop = () => signal.removeEventListener('abort', onAbort);
  });
  promise.catch(() => undefined);
  return { promise, stop };
}
