import { Readable, Writable } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import type { Exit } from './exit.js';

/** A process's output; the guest's program waits as long as nobody reads it. */
export class ProcessOutput extends Readable {
  readonly #source: Readable;
  readonly #exit: Exit;

  constructor(source: Readable, exit: Exit) {
    super({ highWaterMark: 256 * 1024 });
    this.#source = source;
    this.#exit = exit;
    // A lost connection is told by whoever reads, and by the exit; nobody has to read.
    this.on('error', () => undefined);
  }

  receive(chunk: Buffer): void {
    this.#exit.touch();
    if (this.destroyed || this.readableEnded || this.push(chunk)) return;
    this.#source.pause();
    this.#exit.pause(this);
  }

  /** Nothing more comes. An error is seen by whoever reads. */
  finish(error?: Error): void {
    if (this.destroyed) return;
    if (error) this.destroy(error);
    else this.push(null);
  }

  override _read(): void {
    this.#source.resume();
    this.#exit.resume(this);
  }

  /** Whoever read it is gone: the rest is dropped, and the program does not wait for a reader. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#source.resume();
    this.#exit.resume(this);
    done(error);
  }
}

/** A process's input. What is written after its end is dropped, as a pipe's reader would. */
export class ProcessInput extends Writable {
  readonly #channel: ClientChannel;
  #waiting: (() => void) | undefined;

  constructor(channel: ClientChannel) {
    super({ highWaterMark: 256 * 1024 });
    this.#channel = channel;
    this.on('error', () => undefined);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (!this.#channel.writable) {
      done();
      return;
    }
    // ssh2 forgets the callback when the channel ends: our own destruction calls it then.
    const once = () => {
      this.#waiting = undefined;
      done();
    };
    this.#waiting = once;
    this.#channel.write(chunk, () => {
      if (this.#waiting === once) once();
    });
  }

  override _final(done: () => void): void {
    this.#channel.end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#waiting?.();
    done(error);
  }
}
