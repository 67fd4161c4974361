import type { Readable } from 'node:stream';
import type { Size } from '../screen/types.js';
import { Ffmpeg } from './ffmpeg.js';
import { SOUND_BYTES_PER_SECOND, type SoundBuffer } from './sound.js';
import { encoderArguments, type VideoOptions } from './video.js';

interface EncoderOptions {
  readonly container: 'flv' | 'mp4';
  readonly video: VideoOptions;
  readonly sound?: SoundBuffer | undefined;
}

/** Frames in, with the sound that belongs to them; a container's bytes out. */
export class Encoder {
  /** The size of its input frames. */
  readonly size: Size;
  readonly #ffmpeg: Ffmpeg;
  readonly #sound: SoundBuffer | undefined;
  /** Bytes of sound that belong to a frame. */
  readonly #soundOfFrame: number;

  private constructor(ffmpeg: Ffmpeg, size: Size, { video, sound }: EncoderOptions) {
    this.size = size;
    this.#ffmpeg = ffmpeg;
    this.#sound = sound;
    this.#soundOfFrame = SOUND_BYTES_PER_SECOND / video.fps;
  }

  /** Starts ffmpeg. Rejects with ApiError `unsupported` when it is not installed. */
  static async open(size: Size, options: EncoderOptions): Promise<Encoder> {
    const { container, video, sound } = options;
    const track = sound ? 'sound' : container === 'flv' ? 'silence' : 'none';
    const args = encoderArguments(size, { ...video, container, track });
    return new Encoder(await Ffmpeg.start(args, sound ? 2 : 1), size, options);
  }

  get output(): Readable {
    return this.#ffmpeg.output;
  }

  /** Settles when ffmpeg ends; rejects on failure. */
  get ended(): Promise<void> {
    return this.#ffmpeg.ended;
  }

  get pid(): number {
    return this.#ffmpeg.pid;
  }

  /** Writes a frame; calls `taken` when the buffer may be reused. */
  write(frame: Buffer, taken: () => void): void {
    const { input, second } = this.#ffmpeg;
    if (this.#sound && second?.writable) second.write(this.#sound.take(this.#soundOfFrame));
    input.write(frame, taken);
  }

  /** Ends the input; ffmpeg writes the remaining output and ends. */
  finish(): void {
    this.#ffmpeg.second?.end();
    this.#ffmpeg.input.end();
  }

  /** Ends ffmpeg now; resolves when it has ended. */
  kill(): Promise<void> {
    return this.#ffmpeg.kill();
  }
}
