import type { Readable } from 'node:stream';
import { execa } from 'execa';
import type { Size } from '../screen/types.js';
import { encoderMissing } from './errors.js';
import { encoderArguments, type VideoOptions } from './video.js';

/** Bytes of ffmpeg's stderr that are kept. */
const STDERR_LIMIT = 2_000;
/** Milliseconds between SIGTERM and SIGKILL. */
const END_MS = 2_000;

/**
 * An ffmpeg process: frames in, a container's bytes out. It ends when this process ends, because
 * its input does.
 */
export class Encoder {
  /** The size of its input frames. */
  readonly size: Size;
  readonly output: Readable;
  /** Settles when ffmpeg ends; rejects on failure. */
  readonly ended: Promise<void>;
  readonly pid: number;
  readonly #child: ReturnType<typeof spawn>;
  #stderr = '';

  private constructor(child: ReturnType<typeof spawn>, pid: number, size: Size) {
    this.size = size;
    this.pid = pid;
    this.#child = child;
    this.output = child.stdout;
    child.stdin.on('error', () => undefined);
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-STDERR_LIMIT);
    });
    this.ended = child.then(({ failed, exitCode, signal }) => {
      if (!failed) return;
      const lastLine = this.#stderr.trim().split('\n').at(-1) ?? '';
      throw new Error(`ffmpeg ended with ${signal ?? exitCode}${lastLine && `: ${lastLine}`}`);
    });
    this.ended.catch(() => undefined);
  }

  /** Starts ffmpeg. Rejects with ApiError `unsupported` when it is not installed. */
  static async open(size: Size, video: VideoOptions, container: 'flv' | 'mp4'): Promise<Encoder> {
    const child = spawn(encoderArguments(size, video, container));
    const { pid } = child;
    if (pid !== undefined) return new Encoder(child, pid, size);
    throw encoderMissing(await child);
  }

  /** Writes a frame; calls `taken` when the buffer may be reused. */
  write(frame: Buffer, taken: () => void): void {
    this.#child.stdin.write(frame, taken);
  }

  /** Ends the input; ffmpeg writes the remaining output and ends. */
  finish(): void {
    this.#child.stdin.end();
  }

  /** Ends ffmpeg now; resolves when it has ended. */
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
