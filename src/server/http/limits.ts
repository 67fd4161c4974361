import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../contract/errors.js';

/** Concurrent requests of one owner. */
const MOST_AT_ONCE = 256;
/** Limit of connections if the process may have enough descriptors. */
const MOST = 10_000;
/** Connections of one owner. */
const MOST_OF_OWNER = 2_048;
/** Share of the process's descriptors that is reserved for computers, files and children. */
const RESERVE = 1 / 3;

/** Counts of owners, all with the same limit. */
export class OwnerCount {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts one more until the returned function is called; undefined at the limit. */
  take(ownerId: string): (() => void) | undefined {
    const count = this.#counts.get(ownerId) ?? 0;
    if (count >= this.#most) return undefined;
    this.#counts.set(ownerId, count + 1);
    let isCounted = true;
    return () => {
      if (!isCounted) return;
      isCounted = false;
      const left = (this.#counts.get(ownerId) ?? 1) - 1;
      if (left === 0) this.#counts.delete(ownerId);
      else this.#counts.set(ownerId, left);
    };
  }
}

/** Connections at once that leave enough descriptors for everything else. */
export function connectionLimit(descriptors = descriptorLimit()): number {
  return Math.max(16, Math.min(MOST, Math.floor(descriptors * (1 - RESERVE))));
}

/** Descriptors that this process may have; Node raises the soft limit to the hard one. */
function descriptorLimit(): number {
  try {
    const line = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return Number(line?.[1]) || MOST;
  } catch {
    return MOST;
  }
}

/** Limits the server's connections, and those of each owner, of which WebSockets are a part. */
export class Connections {
  readonly #ofOwners: OwnerCount;
  readonly #owners = new WeakMap<
    Socket,
    { readonly ownerId: string; readonly release: () => void }
  >();

  constructor(server: Server, limit = connectionLimit()) {
    server.maxConnections = limit;
    this.#ofOwners = new OwnerCount(Math.min(MOST_OF_OWNER, Math.ceil(limit / 2)));
    // Every pipelined request listens for the end of its connection.
    server.on('connection', (socket) => socket.setMaxListeners(0));
  }

  /** The connection has shown a key of the owner. Throws `rate_limited` if the owner has too many. */
  count(socket: Socket, ownerId: string): void {
    const known = this.#owners.get(socket);
    if (known?.ownerId === ownerId) return;
    const release = this.#ofOwners.take(ownerId);
    if (release === undefined) {
      throw new ApiError('rate_limited', 'You have too many open connections.', {
        remedy: 'Close some of them, or send requests one after the other on the same connection.',
      });
    }
    known?.release();
    this.#owners.set(socket, { ownerId, release });
    if (known === undefined) socket.once('close', () => this.#owners.get(socket)?.release());
  }
}

/**
 * Limits each owner's concurrent requests: further ones are refused with `rate_limited` before their
 * body is read. A WebSocket counts until it is accepted. Requests without a key are not counted.
 */
export function limitRequests(app: FastifyInstance, most = MOST_AT_ONCE): void {
  const requests = new OwnerCount(most);
  app.decorateRequest('endCount', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { owner, raw } = request;
    if (owner === null) return done();
    const release = requests.take(owner.id);
    if (release === undefined) {
      const message = `More than ${most} of your requests are being processed.`;
      const remedy = 'Try again when some have ended.';
      return done(new ApiError('rate_limited', message, { remedy }));
    }
    // A pipelined response emits no "close" when its connection ends.
    const { socket } = raw;
    const end = () => {
      socket.off('close', end);
      release();
    };
    socket.once('close', end);
    request.endCount = end;
    done();
  });
  // The last hook before the handler, which accepts it.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.ws) request.endCount?.();
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    request.endCount?.();
    done();
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Counts the request no longer as one that is being processed. */
    endCount: (() => void) | null;
  }
}
