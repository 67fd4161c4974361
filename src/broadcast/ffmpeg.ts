import type { Duplex, Readable, Writable } from 'node:stream';
import { execa } from 'execa';
import { encoderMissing } from './errors.js';

/** Bytes of ffmpeg's stderr that are kept. */
const STDERR_LIMIT = 2_000;
/** Milliseconds between SIGTERM and SIGKILL. */
const END_MS = 2_000;

/** Options before all others: ffmpeg may open only its own pipes. */
export const PIPES_ONLY: readonly string[] = [
  ...['-hide_banner', '-nostats', '-loglevel', 'error', '-protocol_whitelist', 'pipe'],
];

/** An ffmpeg process. It ends when this process ends, because its input does. */
export class Ffmpeg {
  readonly input: Writable;
  /** `pipe:3`, of an ffmpeg with two inputs. */
  readonly second: Writable | undefined;
  readonly output: Readable;
  /** Settles when ffmpeg ends; rejects on failure. */
  readonly ended: Promise<void>;
  readonly pid: number;
  readonly #child: ReturnType<typeof spawn>;
  #stderr = '';

  private constructor(child: ReturnType<typeof spawn>, pid: number) {
    this.pid = pid;
    this.#child = child;
    this.input = child.stdin;
    // A pipe of Node.js has both directions; this one brings nothing but its end.
    const second = child.stdio[3] as unknown as Duplex | undefined;
    second?.on('error', () => undefined).resume();
    this.second = second;
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
  static async start(args: readonly string[], inputs: 1 | 2 = 1): Promise<Ffmpeg> {
    const child = spawn(args, inputs);
    const { pid } = child;
    if (pid !== undefined) return new Ffmpeg(child, pid);
    throw encoderMissing(await child);
  }

  /** Ends ffmpeg now; resolves when it has ended. */
  async kill(): Promise<void> {
    this.input.destroy();
    this.second?.destroy();
    this.#child.stdout.destroy();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    this.#child.kill('SIGTERM');
    await this.ended.catch(() => undefined);
    clearTimeout(timer);
  }
}

function spawn(args: readonly string[], inputs: 1 | 2) {
  return execa('ffmpeg', args, {
    stdio: ['pipe', 'pipe', 'pipe', ...(inputs === 2 ? (['pipe'] as const) : [])],
    buffer: false,
    reject: false,
    env: { PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin' },
    extendEnv: false,
    cwd: '/',
  });
}
