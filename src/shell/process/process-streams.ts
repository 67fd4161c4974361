import { Readable, Writable } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import { joinPieces } from '../../lib/streams/join-pieces.js';
import type { Exit } from './exit.js';

/** A process's output with backpressure: the guest's program blocks while nothing reads it. */
export class ProcessOutput extends Readable {
  readonly #source: Readable;
  readonly #exit: Exit;

  constructor(source: Readable, exit: Exit) {
    super({ highWaterMark: 256 * 1024 });
    this.#source = source;
    this.#exit = exit;
    joinPieces(this);
    // Readers and the exit report a lost connection, so the error event may go unhandled.
    this.on('error', () => undefined);
  }

  receive(chunk: Buffer): void {
    this.#exit.touch(chunk);
    if (this.destroyed || this.readableEnded || this.push(chunk)) return;
    this.#source.pause();
    this.#exit.pause(this);
  }

  /** Ends the stream, with the error if there is one. */
  finish(error?: Error): void {
    if (this.destroyed) return;
    if (error) this.destroy(error);
    else this.push(null);
  }

  override _read(): void {
    this.#source.resume();
    this.#exit.resume(this);
  }

  /** Drops later output, so that the program does not block. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#source.resume();
    this.#exit.resume(this);
    done(error);
  }
}

/** A process's input. Drops what is written after the process has ended. */
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
    // ssh2 does not call back when the channel ends; _destroy does so instead.
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
