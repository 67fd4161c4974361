import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../../contract/errors.js';
import { OwnerCount } from './owner-count.js';

/** Limit of connections if the process may have enough descriptors. */
const MOST = 10_000;
/** Connections of one owner. */
const MOST_OF_OWNER = 2_048;
/** Share of the process's descriptors that is reserved for computers, files and children. */
const RESERVE = 1 / 3;

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
