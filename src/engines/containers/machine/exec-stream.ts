import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { joinPieces } from '../../../lib/streams/join-pieces.js';
import { notRunning } from '../../not-running.js';
import { ask, QUICK_MS } from '../client.js';
import { messageOf, statusOf } from '../errors.js';
import { FrameReader, STDOUT } from './frames.js';

/**
 * Standard input and output of a program in a container, with backpressure both ways. Ending the
 * writable side closes the program's input; destroying the stream closes both, which ends our
 * programs.
 */
export class ExecStream extends Duplex {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super({ highWaterMark: 256 * 1024 });
    this.#socket = socket;
    joinPieces(this);
    const frames = new FrameReader((stream, data) => {
      if (stream === STDOUT && !this.push(data)) socket.pause();
    });
    socket.on('data', (chunk: Buffer) => {
      try {
        frames.read(chunk);
      } catch (error) {
        this.destroy(error as Error);
      }
    });
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => {
      if (!this.readableEnded) this.push(null);
      if (!this.writableFinished) this.destroy();
    });
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void) {
    this.#socket.write(chunk, done);
  }

  /** Sends buffered chunks together: SSH writes each packet in three parts. */
  override _writev(
    chunks: { chunk: Buffer; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ) {
    const last = chunks.length - 1;
    this.#socket.cork();
    for (const [i, { chunk }] of chunks.entries()) {
      this.#socket.write(chunk, i === last ? done : undefined);
    }
    this.#socket.uncork();
  }

  override _final(done: () => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

/**
 * Starts a program in a running container as the container's user. Rejects with `not_running`, `not_found`,
 * `guest_failed` when the machine is paused, or `engine_unavailable`.
 */
export async function execStream(
  docker: Docker,
  container: string,
  command: readonly string[],
  signal?: AbortSignal,
): Promise<ExecStream> {
  try {
    const exec = await ask(docker, QUICK_MS, signal, (abortSignal) =>
      docker.getContainer(container).exec({
        Cmd: [...command],
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
        abortSignal,
      }),
    );
    const socket = await ask(docker, QUICK_MS, signal, (abortSignal) => start(exec, abortSignal));
    return new ExecStream(socket);
  } catch (error) {
    throw dialError(error);
  }
}

/** Closes a connection that opened after its request was given up. */
export function closeLate(socket: Socket): void {
  socket.on('error', () => undefined).destroy();
}

async function start(exec: Docker.Exec, abortSignal: AbortSignal): Promise<Socket> {
  const socket = (await exec.start({ hijack: true, stdin: true })) as unknown as Socket;
  if (abortSignal.aborted) closeLate(socket);
  return socket;
}

function dialError(error: unknown): unknown {
  if (statusOf(error) !== 409) return error;
  if (/paused/i.test(messageOf(error))) {
    return new ApiError('guest_failed', 'The computer is paused.', { cause: error });
  }
  return notRunning(error);
}
