import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../../contract/errors.js';
import { abortable } from './abortable.js';

/** What a server says first on each channel: proof that a new connection was begun for us. */
const GREETINGS = { screen: 'RFB ', shell: 'SSH-' } as const;
export type PortName = keyof typeof GREETINGS;

/** The server did not begin, or began with something else: the guest may still be starting. */
export class NotGreeted extends Error {
  override readonly name = 'NotGreeted';
}

/**
 * A guest's ports, each of which carries one connection at a time. A new one ends the one before,
 * and is handed out only once the server in the guest has begun to speak to it, so that nothing of
 * an earlier connection is ever taken for part of it.
 */
export class Channels {
  readonly #last = new Map<string, { socket: Socket; closed: Promise<void>; begun: boolean }>();
  readonly #turns = new Map<string, Promise<unknown>>();

  /** Ends a connection whose other end has gone, once it had begun. */
  hangUp(key: string): void {
    const last = this.#last.get(key);
    if (last?.begun) last.socket.destroy();
  }

  /** @param connect opens the port's socket on the host */
  async open(
    key: string,
    port: PortName,
    connect: () => Promise<Socket>,
    { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
  ): Promise<Duplex> {
    const before = this.#turns.get(key) ?? Promise.resolve();
    const turn = before
      .catch(() => undefined)
      .then(async () => {
        signal?.throwIfAborted();
        const last = this.#last.get(key);
        last?.socket.destroy();
        await last?.closed;
        const socket = await connect();
        const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
        const connection = { socket, closed, begun: false };
        this.#last.set(key, connection);
        closed.then(() => {
          if (this.#last.get(key)?.socket === socket) this.#last.delete(key);
        });
        try {
          await greeted(socket, GREETINGS[port], timeoutMs, signal);
          connection.begun = true;
          return socket;
        } catch (error) {
          socket.destroy();
          await closed;
          throw error;
        }
      });
    this.#turns.set(key, turn);
    turn
      .catch(() => undefined)
      .finally(() => {
        if (this.#turns.get(key) === turn) this.#turns.delete(key);
      });
    return abortable(turn, signal, (socket) => socket.destroy());
  }
}

/** Resolves when the stream begins with `expected`, which stays to be read. */
function greeted(
  socket: Socket,
  expected: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const settle = (error?: unknown) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      socket.off('readable', onReadable).off('close', onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onReadable = () => {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
        head = Buffer.concat([head, chunk as Buffer]);
      }
      const text = head.subarray(0, expected.length).toString('latin1');
      if (!expected.startsWith(text)) return settle(new NotGreeted('it began with other bytes'));
      if (head.length < expected.length) return;
      socket.unshift(head);
      settle();
    };
    const onClose = () => settle(new NotGreeted('it hung up'));
    const onAbort = () => settle(signal?.reason);
    const timer = setTimeout(
      () => settle(new NotGreeted(`it said nothing for ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    socket.on('readable', onReadable).on('close', onClose);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    else if (socket.destroyed) onClose();
  });
}

/** What a machine that does not run answers. */
export function notRunning(cause?: unknown): ApiError {
  return new ApiError('not_running', 'The computer is not running. Start it first.', { cause });
}
