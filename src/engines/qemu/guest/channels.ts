import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { abortable } from '../../../lib/async/abort.js';
import { within } from '../../../lib/async/deadline.js';
import { deferred } from '../../../lib/async/deferred.js';
import { KeyedQueue } from '../../../lib/async/keyed-queue.js';

/** What the server on each channel sends first; it proves that a connection is new. */
const GREETINGS = { screen: 'RFB ', shell: 'SSH-' } as const;
type PortName = keyof typeof GREETINGS;

/** The server sent no greeting, or the wrong one: the guest may still be starting. */
class NotGreeted extends Error {
  override readonly name = 'NotGreeted';
}

/**
 * Connections to guests' serial ports, each of which carries one at a time. A new connection ends
 * the one before. It is returned only after the server in the guest has sent its greeting, so that
 * data of an earlier connection is never taken for part of it.
 */
export class Channels {
  readonly #last = new Map<string, { socket: Socket; closed: Promise<void>; greeted: boolean }>();
  readonly #queue = new KeyedQueue();

  /** Closes a connection that the guest has closed, unless it is still waiting for the greeting. */
  hangUp(key: string): void {
    const last = this.#last.get(key);
    if (last?.greeted) last.socket.destroy();
  }

  /** @param connect opens the port's socket on the host */
  async open(
    key: string,
    port: PortName,
    connect: () => Promise<Socket>,
    { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
  ): Promise<Duplex> {
    const opening = this.#queue.run(key, async () => {
      signal?.throwIfAborted();
      const last = this.#last.get(key);
      last?.socket.destroy();
      await last?.closed;
      const socket = await connect();
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      const connection = { socket, closed, greeted: false };
      this.#last.set(key, connection);
      closed.then(() => {
        if (this.#last.get(key)?.socket === socket) this.#last.delete(key);
      });
      try {
        await waitForGreeting(socket, GREETINGS[port], timeoutMs, signal);
        connection.greeted = true;
        return socket;
      } catch (error) {
        socket.destroy();
        await closed;
        throw error;
      }
    });
    return abortable(opening, signal, { onLate: (socket) => socket.destroy() });
  }
}

/** Resolves when the stream begins with `expected`, which remains to be read. */
async function waitForGreeting(
  socket: Socket,
  expected: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const greeting = deferred<void>();
  let head = Buffer.alloc(0);
  const onReadable = () => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
      head = Buffer.concat([head, chunk as Buffer]);
    }
    const text = head.subarray(0, expected.length).toString('latin1');
    if (!expected.startsWith(text)) {
      return greeting.reject(new NotGreeted('it sent a wrong greeting'));
    }
    if (head.length < expected.length) return;
    socket.unshift(head);
    // At once, because `unshift` makes the stream readable again.
    socket.off('readable', onReadable);
    greeting.resolve();
  };
  const onClose = () => greeting.reject(new NotGreeted('it closed the connection'));
  socket.on('readable', onReadable).on('close', onClose);
  if (socket.destroyed) onClose();
  const onTimeout = () => new NotGreeted(`it sent nothing for ${timeoutMs / 1000} s`);
  try {
    await within(greeting.promise, { ms: timeoutMs, onTimeout, signal });
  } finally {
    socket.off('readable', onReadable).off('close', onClose);
  }
}
