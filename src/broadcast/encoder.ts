import type { Readable } from 'node:stream';
import { execa } from 'execa';
import type { Size } from '../screen/types.js';
import { encoderMissing } from './errors.js';
import { encoderArguments, type VideoOptions } from './video.js';

/** Bytes of ffmpeg's last words that are kept. */
const LAST_WORDS = 2_000;
/** Milliseconds that ffmpeg has to end of itself before it is killed. */
const END_MS = 2_000;

/** One ffmpeg: pictures in, a container's bytes out. It ends when this process does, for its input ends. */
export class Encoder {
  /** The size of the pictures that it takes. */
  readonly size: Size;
  readonly output: Readable;
  /** Rejects when it ends with a failure, resolves when it ends well. */
  readonly ended: Promise<void>;
  readonly pid: number;
  readonly #child: ReturnType<typeof spawn>;
  #words = '';

  private constructor(child: ReturnType<typeof spawn>, pid: number, size: Size) {
    this.size = size;
    this.pid = pid;
    this.#child = child;
    this.output = child.stdout;
    child.stdin.on('error', () => undefined);
    child.stderr.on('data', (chunk: Buffer) => {
      this.#words = (this.#words + chunk.toString()).slice(-LAST_WORDS);
    });
    this.ended = child.then(({ failed, exitCode, signal }) => {
      if (!failed) return;
      const words = this.#words.trim().split('\n').at(-1) ?? '';
      throw new Error(`ffmpeg ended with ${signal ?? exitCode}${words && `: ${words}`}`);
    });
    this.ended.catch(() => undefined);
  }

  /** Starts ffmpeg. Rejects with ApiError `unsupported` when there is none. */
  static async open(size: Size, video: VideoOptions, container: 'flv' | 'mp4'): Promise<Encoder> {
    const child = spawn(encoderArguments(size, video, container));
    const { pid } = child;
    if (pid !== undefined) return new Encoder(child, pid, size);
    const result = await child;
    throw encoderMissing(result);
  }

  /** Hands a picture over; calls `taken` when it has been read and may be written over. */
  write(picture: Buffer, taken: () => void): void {
    this.#child.stdin.write(picture, taken);
  }

  /** No more pictures: what is still under way is written, then it ends. */
  finish(): void {
    this.#child.stdin.end();
  }

  /** Ends it now; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    this.#child.kill('SIGTERM');
    await this.ended.catch(() => undefined);
    clearTimeout(timer);
  }
}

function spawn(args: readonly string[]) {
  return execa('ffmpeg', args, {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    reject: false,
    env: { PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin' },
    extendEnv: false,
    cwd: '/',
  });
}
