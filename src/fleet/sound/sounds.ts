import { OpusEncoder, SoundBuffer } from '../../broadcast/index.js';
import { abortable } from '../../lib/async/abort.js';
import type { RunningComputers } from '../actions/running-computers.js';
import type { Session } from '../sessions/session.js';
import type { ComputerRecord } from '../store/records.js';
import { readSound } from './read-sound.js';
import { type Listener, SharedSource } from './shared-source.js';

interface Sources {
  readonly samples: SharedSource<Buffer>;
  readonly opus: SharedSource<Buffer>;
}

/** The sound of a computer for one video. */
export interface VideoSound {
  readonly buffer: SoundBuffer;
  close(): void;
}

/** What the computers' programs play: read while anyone listens, once for all who do. */
export class Sounds {
  readonly #running: Pick<RunningComputers, 'session'>;
  readonly #sources = new WeakMap<Session, Sources>();

  constructor(running: Pick<RunningComputers, 'session'>) {
    this.#running = running;
  }

  /** Resolves when the sound arrives. It is silent while it is interrupted. */
  async forVideo(session: Session, signal?: AbortSignal): Promise<VideoSound> {
    const buffer = new SoundBuffer();
    const listener = { take: (chunk: Buffer) => buffer.push(chunk), failed: () => undefined };
    return { buffer, close: await this.#of(session).samples.opened(listener, signal) };
  }

  /** Gives Opus packets to `listener`, from when this resolves until the function returned is called. */
  async opus(
    record: ComputerRecord,
    listener: Listener<Buffer>,
    signal?: AbortSignal,
  ): Promise<() => void> {
    const session = await this.#running.session(record, signal);
    return this.#of(session).opus.opened(listener, signal);
  }

  #of(session: Session): Sources {
    const known = this.#sources.get(session);
    if (known !== undefined) return known;
    const samples = new SharedSource<Buffer>((emit, signal) => readSound(session, emit, signal));
    const opus = new SharedSource<Buffer>((emit, signal) => encode(samples, emit, signal));
    this.#sources.set(session, { samples, opus });
    return { samples, opus };
  }
}

async function encode(
  samples: SharedSource<Buffer>,
  emit: (packet: Buffer) => void,
  signal: AbortSignal,
): Promise<void> {
  const encoder = await OpusEncoder.open(emit);
  let stop: (() => void) | undefined;
  try {
    const failure = new Promise<never>((_, reject) => {
      stop = samples.listen({ take: (chunk) => encoder.write(chunk), failed: reject });
    });
    await abortable(Promise.race([failure, encoder.ended]), signal);
  } finally {
    stop?.();
    await encoder.kill();
  }
}
