import { Readable, Writable } from 'node:stream';
import { WebSocket } from 'ws';
import { PROCESS_PATHS } from '../contract/routes.js';
import type { ProcessControl, ProcessEvent, ProcessStart } from '../contract/types/index.js';
import { ServiceError, ServiceUnreachableError } from './errors.js';
import { buildPath, type ComputerAddress, computerParameters } from './http/address.js';
import type { Endpoint } from './http/endpoint.js';
import { openSocket, sendBytes } from './http/socket.js';

/** Streams by the first byte of a binary message, as in the contract's StreamId. */
const STDIN = 0;
const STDOUT = 1;

/** Kept of an output that nobody reads before it stops the process. */
const UNREAD_BYTES = 16 * 1024 * 1024;

export interface ProcessRequest extends ProcessStart {
  /** Aborting ends the process group and closes the streams. */
  readonly signal?: AbortSignal;
  /** Milliseconds until the process has to be connected; `timeout` limits the process itself. */
  readonly timeoutMs?: number | undefined;
}

/** How a process ended; `code` is null when a signal ended it. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** It was ended at its `timeout`. */
  readonly timedOut: boolean;
  /** An exception of Python code, with its traceback. */
  readonly error?: string;
  /** The exception's class. */
  readonly errorType?: string;
}

export type ProcessSignal = Extract<ProcessControl, { type: 'signal' }>['signal'];

/**
 * A process in a computer, with its streams. Reading slowly slows the process down. An output that
 * nobody reads is kept up to 16 MiB; beyond that it has to be read (or `resume()`d) for the process
 * to end. `run()` of the computer reads both.
 */
export interface RemoteProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles after the last byte of output has been delivered. */
  readonly exited: Promise<ProcessExit>;
  /** Sends a signal to the process group. */
  kill(signal: ProcessSignal): void;
  resize(size: { columns: number; rows: number }): void;
  /** Disconnects; the service then ends the process group. `exited` rejects with an AbortError. */
  close(): void;
  /** Closes it, unless it has exited. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens the WebSocket, sends the start message and returns the streams. */
export async function openProcess(
  endpoint: Endpoint,
  address: ComputerAddress,
  { signal, ...start }: ProcessRequest,
): Promise<RemoteProcess> {
  const path = buildPath(PROCESS_PATHS, computerParameters(address));
  const socket = await openSocket(endpoint, path, signal);
  socket.send(JSON.stringify(start));
  return connect(socket, endpoint.url.href, signal);
}

function connect(socket: WebSocket, baseUrl: string, signal?: AbortSignal): RemoteProcess {
  const blocked = new Set<Readable>();
  const output = () => {
    const stream: Readable = new Readable({
      read() {
        blocked.delete(stream);
        if (blocked.size === 0 && socket.isPaused) socket.resume();
      },
    });
    return stream;
  };
  const stdout = output();
  const stderr = output();
  const control = (message: ProcessControl) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  const stdin = new Writable({
    write(chunk: Buffer, _, done) {
      if (socket.readyState !== WebSocket.OPEN) return done();
      sendBytes(socket, chunk, Buffer.of(STDIN), done);
    },
    final(done) {
      control({ type: 'stdin_end' });
      done();
    },
  });
  stdin.on('error', () => {});
  let isClosed = false;
  const close = () => {
    isClosed = true;
    socket.terminate();
  };

  const exited = new Promise<ProcessExit>((resolve, reject) => {
    let isEnded = false;
    const endStreams = () => {
      isEnded = true;
      stdout.push(null);
      stderr.push(null);
      stdin.destroy();
    };
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isEnded) return;
      if (!isBinary) {
        const end = parseEvent(data.toString());
        endStreams();
        if (end.type === 'exit') resolve(exitOf(end));
        else reject(new ServiceError(end.code, end.error, { remedy: end.remedy, baseUrl }));
        // It is the last message: nobody has to wait for the service to close its end.
        socket.close();
        return;
      }
      const stream = data[0] === STDOUT ? stdout : stderr;
      if (stream.push(data.subarray(1)) || canKeep(stream)) return;
      blocked.add(stream);
      socket.pause();
    });
    socket.once('close', () => {
      endStreams();
      if (signal?.aborted) reject(signal.reason);
      else if (isClosed) reject(new DOMException('the process was closed', 'AbortError'));
      else reject(new ServiceUnreachableError(baseUrl, 'the connection was lost'));
    });
  });
  exited.catch(() => {});
  socket.resume();

  return {
    stdin,
    stdout,
    stderr,
    exited,
    kill: (name) => control({ type: 'signal', signal: name }),
    resize: ({ columns, rows }) => control({ type: 'resize', columns, rows }),
    close,
    async [Symbol.asyncDispose]() {
      close();
      await exited.catch(() => undefined);
    },
  };
}

/** True while a stream that nobody reads holds little, so that it does not stop the other one. */
function canKeep(stream: Readable): boolean {
  const isUnread = stream.readableFlowing === null && stream.listenerCount('readable') === 0;
  return isUnread && stream.readableLength < UNREAD_BYTES;
}

function exitOf(event: Extract<ProcessEvent, { type: 'exit' }>): ProcessExit {
  const { code, signal, timed_out, error, error_type } = event;
  return {
    ...{ code, signal, timedOut: timed_out === true },
    ...(error === undefined ? {} : { error }),
    ...(error_type === undefined ? {} : { errorType: error_type }),
  };
}

function parseEvent(message: string): ProcessEvent {
  try {
    return JSON.parse(message) as ProcessEvent;
  } catch {
    return { type: 'error', code: 'internal', error: 'the service sent an unusable message' };
  }
}
