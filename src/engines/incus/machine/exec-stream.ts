import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { ApiError } from '../../../contract/errors.js';
import { joinPieces } from '../../../lib/streams/join-pieces.js';
import { notRunning } from '../../not-running.js';
import type { Cluster, Operation } from '../client/cluster.js';
import { QUICK_MS } from '../client/cluster.js';
import { clusterErrorOf } from '../errors.js';

/** Bytes of one message: members read as much at once. */
const MESSAGE = 64 * 1024;

interface Sockets {
  readonly input: WebSocket;
  readonly output: WebSocket;
  readonly errors: WebSocket;
  readonly control: WebSocket;
}

/**
 * Standard input and output of a program in a container, with backpressure both ways. In each
 * direction an empty text message is the end. Destroying the stream kills the program.
 */
export class ExecStream extends Duplex {
  readonly #sockets: Sockets;

  constructor(sockets: Sockets) {
    super({ highWaterMark: 256 * 1024 });
    this.#sockets = sockets;
    joinPieces(this);
    const { input, output, errors, control } = sockets;
    output.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isBinary) this.push(null);
      else if (!this.readableEnded && !this.push(data)) output.pause();
    });
    output.on('close', () => {
      if (!this.readableEnded) this.push(null);
      if (!this.writableFinished) this.destroy();
    });
    for (const socket of Object.values(sockets)) {
      socket.on('error', (error: Error) => this.destroy(error));
    }
    // Nothing but its arrival matters: it is dropped, so that the program is never blocked by it.
    for (const socket of [input, errors, control, output]) socket.resume();
  }

  override _read(): void {
    this.#sockets.output.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void) {
    const { input } = this.#sockets;
    for (let at = 0; at < chunk.length; at += MESSAGE) {
      const part = chunk.subarray(at, at + MESSAGE);
      input.send(part, { binary: true }, at + MESSAGE < chunk.length ? undefined : done);
    }
    if (chunk.length === 0) done();
  }

  override _writev(
    chunks: { chunk: Buffer; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ) {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'binary', done);
  }

  override _final(done: () => void): void {
    this.#sockets.input.send('', { binary: false }, () => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const { control, ...data } = this.#sockets;
    const kill = JSON.stringify({ command: 'signal', signal: 9 });
    const close = () => {
      for (const socket of [...Object.values(data), control]) socket.terminate();
    };
    if (control.readyState === control.OPEN) control.send(kill, close);
    else close();
    done(error);
  }
}

export interface ExecRequest {
  readonly name: string;
  readonly command: readonly string[];
  /** Base URL of the member that has the machine: it saves a relay through another one. */
  readonly url?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts a program in a running container, as root. Rejects with `not_running`, `not_found`,
 * `guest_failed` when the machine is paused, or `engine_unavailable`.
 */
export async function execStream(
  cluster: Cluster,
  { name, command, url, signal }: ExecRequest,
): Promise<Duplex> {
  const body = {
    command,
    'wait-for-websocket': true,
    interactive: false,
    user: 0,
    group: 0,
    cwd: '/',
  };
  const path = `/1.0/instances/${name}/exec`;
  const started = await cluster
    .ask<Operation>(path, { method: 'POST', body, ms: QUICK_MS, signal })
    .catch((error) => {
      throw dialError(error);
    });
  const { fds } = started.metadata as { fds: Record<string, string> };
  const opening = ['0', '1', '2', 'control'].map((fd) =>
    cluster.socket(`/1.0/operations/${started.id}/websocket?secret=${fds[fd]}`, { url, signal }),
  );
  const opened = await Promise.allSettled(opening);
  const sockets = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const [input, output, errors, control] = sockets;
  if (!input || !output || !errors || !control) {
    for (const socket of sockets) socket.terminate();
    throw opened.find((each) => each.status === 'rejected')?.reason;
  }
  return new ExecStream({ input, output, errors, control });
}

function dialError(error: unknown): unknown {
  const { message = '' } = clusterErrorOf(error) ?? {};
  if (/not running|isn't running|is stopped/i.test(message)) return notRunning(error);
  if (/frozen/i.test(message)) {
    return new ApiError('guest_failed', 'The computer is paused.', { cause: error });
  }
  return error;
}
