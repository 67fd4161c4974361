import type { ProcessControl, ProcessEvent } from '../../contract/types/index.js';
import { ServiceError, ServiceUnreachableError } from '../errors.js';
import { type MessageSocket, type Outlet, sendBytes } from './message-socket.js';

/** Streams by the first byte of a binary message, as in the contract's StreamId. */
const STDIN = 0;
const STDOUT = 1;

/** Kept of an output that nobody reads before it stops the process. */
export const UNREAD_BYTES = 16 * 1024 * 1024;

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

interface ConnectionOptions {
  readonly stdout: Outlet;
  readonly stderr: Outlet;
  readonly baseUrl: string;
  readonly signal: AbortSignal | undefined;
}

/** The messages of a process, whatever kind of streams it has for its user. */
export class ProcessConnection {
  /** Settles after the last byte of output has been delivered. */
  readonly exited: Promise<ProcessExit>;
  readonly #socket: MessageSocket;
  readonly #blocked = new Set<Outlet>();
  #isClosed = false;

  constructor(socket: MessageSocket, { stdout, stderr, baseUrl, signal }: ConnectionOptions) {
    this.#socket = socket;
    this.exited = new Promise((resolve, reject) => {
      let isEnded = false;
      const endStreams = () => {
        if (isEnded) return;
        isEnded = true;
        stdout.end();
        stderr.end();
      };
      socket.listen({
        message: (message) => {
          if (isEnded) return;
          if (typeof message !== 'string') {
            return this.#deliver(message[0] === STDOUT ? stdout : stderr, message.subarray(1));
          }
          const end = parseEvent(message);
          endStreams();
          if (end.type === 'exit') resolve(exitOf(end));
          else reject(new ServiceError(end.code, end.error, { remedy: end.remedy, baseUrl }));
          // It is the last message: nobody has to wait for the service to close its end.
          socket.close();
        },
        closed: () => {
          endStreams();
          if (signal?.aborted) reject(signal.reason);
          else if (this.#isClosed) {
            reject(new DOMException('the process was closed', 'AbortError'));
          } else reject(new ServiceUnreachableError(baseUrl, 'the connection was lost'));
        },
      });
    });
    this.exited.catch(() => undefined);
    socket.resume();
  }

  /** Sends bytes to its standard input; nothing happens to those for a process that has ended. */
  write(bytes: Uint8Array, done: (error?: Error | null) => void): void {
    if (this.#socket.isOpen) sendBytes(this.#socket, bytes, [STDIN], done);
    else done();
  }

  endInput(): void {
    this.control({ type: 'stdin_end' });
  }

  control(message: ProcessControl): void {
    if (this.#socket.isOpen) this.#socket.send(JSON.stringify(message));
  }

  /** The reader of an outlet wants more. */
  wanted(outlet: Outlet): void {
    this.#blocked.delete(outlet);
    if (this.#blocked.size === 0 && this.#socket.isPaused) this.#socket.resume();
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.terminate();
  }

  #deliver(outlet: Outlet, bytes: Uint8Array): void {
    if (outlet.push(bytes)) return;
    this.#blocked.add(outlet);
    this.#socket.pause();
  }
}

function exitOf(event: Extract<ProcessEvent, { type: 'exit' }>): ProcessExit {
  const { code, signal, timed_out, error, error_type } = event;
  return {
    code,
    signal,
    timedOut: timed_out === true,
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
