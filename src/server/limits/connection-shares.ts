import type { Socket } from 'node:net';
import { limitedShare } from '../../fleet/store/limits/shares.js';

/** So many connections without a key have this time for their first request before they are closed. */
const MOST_NEW = 16;
const NEW_MS = 1_000;

/**
 * Connections without a key beyond which those are closed that were opened this long ago and are idle.
 * What many connections send, or their ends, is handled in one turn of the event loop.
 */
const MANY_KEYLESS = 1_024;
const OLD_MS = 10_000;
/** Connections of an owner at once. It has a use for 1,800: requests that run and wait, and WebSockets. */
const MOST_OF_OWNER = 2_048;
/** What its limited keys can have of them: a key with all rights must always be able to revoke them. */
const SHARE = limitedShare(MOST_OF_OWNER);

interface Entry {
  readonly address: string;
  readonly openedAt: number;
  ownerId: string | undefined;
  /** Of an owner's: its limited key, or '' for keys with all rights. */
  queue: string;
}

/** The connections of an owner by queue. */
type OwnersConnections = Map<string, Set<Socket>>;

/** Open connections by owner, and those that have shown no key by address, the oldest first. */
export class ConnectionShares {
  readonly #limit: number;
  readonly #mostNew: number;
  readonly #entries = new Map<Socket, Entry>();
  readonly #owners = new Map<string, OwnersConnections>();
  readonly #addresses = new Map<string, Set<Socket>>();
  #keyless = 0;

  /** `limit` is that of all connections. */
  constructor(limit: number) {
    this.#limit = limit;
    this.#mostNew = Math.min(MOST_NEW, limit >> 2);
  }

  /** Counts a new connection, which has shown no key. */
  add(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const openedAt = performance.now();
    this.#entries.set(socket, { address, openedAt, ownerId: undefined, queue: '' });
    addTo(this.#addresses, address, socket);
    this.#keyless += 1;
  }

  /** Counts an open connection as the owner's, and that of its limited key if `queue` names one. */
  trust(socket: Socket, ownerId: string, queue = ''): void {
    const entry = this.#entries.get(socket);
    if (entry === undefined || (entry.ownerId === ownerId && entry.queue === queue)) return;
    this.#leave(socket, entry);
    Object.assign(entry, { ownerId, queue });
    const ofOwner = this.#owners.get(ownerId) ?? new Map();
    this.#owners.set(ownerId, ofOwner);
    addTo(ofOwner, queue, socket);
  }

  remove(socket: Socket): void {
    const entry = this.#entries.get(socket);
    if (entry === undefined) return;
    this.#entries.delete(socket);
    this.#leave(socket, entry);
  }

  /**
   * The connection to close for a new one: of the owner who has the most, the oldest idle one. Those
   * without a key count as one owner, and the oldest of the address that has the most is closed. Owners
   * with less than an equal part keep theirs: rather, a busy one of the owner who has the most is closed.
   * Of an owner's, it is one of the limited key that has the most, or of its keys with all rights.
   */
  victim(isIdle: (socket: Socket) => boolean): Socket | undefined {
    const owners = [...this.#owners.values()]
      .map((queues) => ({ size: countOf(queues), sockets: largestOf(queues) }))
      .sort((a, b) => b.size - a.size);
    const [most] = owners;
    const mayClose = this.#mayCloseKeyless();
    const equalPart = this.#limit / (owners.length + 1);
    for (const owner of owners) {
      if (mayClose && this.#keyless >= owner.size) break;
      if (owner !== most && owner.size <= equalPart) break;
      for (const socket of owner.sockets) if (isIdle(socket)) return socket;
    }
    if (mayClose || most === undefined) return this.#oldestKeyless();
    const [oldest] = most.sockets;
    return oldest;
  }

  /** The connections of an owner, or those that have shown no key. */
  *of(ownerId?: string): Iterable<Socket> {
    if (ownerId !== undefined)
      for (const sockets of this.#owners.get(ownerId)?.values() ?? []) yield* sockets;
    else for (const sockets of this.#addresses.values()) yield* sockets;
  }

  /** Of an open connection: Node.js asks the system again for a closed one. */
  addressOf(socket: Socket): string {
    return this.#entries.get(socket)?.address ?? '';
  }

  /** One to close if many have shown no key: of the address that has the most, the oldest idle one. */
  oldIdleOne(isIdle: (socket: Socket) => boolean): Socket | undefined {
    if (this.#keyless < MANY_KEYLESS) return undefined;
    const youngest = performance.now() - OLD_MS;
    for (const socket of this.#mostOfAddress()) {
      if ((this.#entries.get(socket)?.openedAt ?? 0) > youngest) return undefined;
      if (isIdle(socket)) return socket;
    }
    return undefined;
  }

  /**
   * The connection to close if an owner, its limited keys or one of these have more than they can have,
   * since `asking` was counted: an idle one, or the oldest. That of a limited key closes none of the keys
   * with all rights, and itself, whose request has begun, only if there is no other.
   */
  tooMany(asking: Socket, isIdle: (socket: Socket) => boolean): Socket | undefined {
    const { ownerId, queue = '' } = this.#entries.get(asking) ?? {};
    const queues = ownerId === undefined ? undefined : this.#owners.get(ownerId);
    if (queues === undefined) return undefined;
    const all = countOf(queues);
    const own = queues.get(queue) ?? NONE;
    const limited = new Map([...queues].filter(([name]) => name !== ''));
    const isOwnTooMany = queue !== '' && own.size > SHARE.ofOne;
    const areLimitedTooMany = queue !== '' && countOf(limited) > SHARE.ofAll;
    if (!isOwnTooMany && !areLimitedTooMany && all <= MOST_OF_OWNER) return undefined;
    const sockets = isOwnTooMany ? own : largestOf(queue === '' ? queues : limited);
    let oldest: Socket | undefined;
    for (const socket of sockets) {
      if (socket === asking) continue;
      if (isIdle(socket)) return socket;
      oldest ??= socket;
    }
    return oldest ?? asking;
  }

  #mayCloseKeyless(): boolean {
    const oldest = this.#oldestKeyless();
    const openedAt = oldest && this.#entries.get(oldest)?.openedAt;
    if (openedAt === undefined) return false;
    return this.#keyless > this.#mostNew || performance.now() - openedAt > NEW_MS;
  }

  #oldestKeyless(): Socket | undefined {
    const [oldest] = this.#mostOfAddress();
    return oldest;
  }

  /** Those without a key of the address that has the most of them. */
  #mostOfAddress(): Iterable<Socket> {
    let most: Set<Socket> = new Set();
    for (const sockets of this.#addresses.values()) if (sockets.size > most.size) most = sockets;
    return most;
  }

  #leave(socket: Socket, { ownerId, queue, address }: Entry): void {
    if (ownerId === undefined) {
      this.#keyless -= 1;
      removeFrom(this.#addresses, address, socket);
      return;
    }
    const queues = this.#owners.get(ownerId);
    if (queues === undefined) return;
    removeFrom(queues, queue, socket);
    if (queues.size === 0) this.#owners.delete(ownerId);
  }
}

const NONE: ReadonlySet<Socket> = new Set();

function countOf(queues: OwnersConnections): number {
  let count = 0;
  for (const sockets of queues.values()) count += sockets.size;
  return count;
}

function largestOf(queues: OwnersConnections): ReadonlySet<Socket> {
  let largest = NONE;
  for (const sockets of queues.values()) if (sockets.size > largest.size) largest = sockets;
  return largest;
}

function removeFrom(groups: Map<string, Set<Socket>>, name: string, socket: Socket): void {
  const sockets = groups.get(name);
  sockets?.delete(socket);
  if (sockets?.size === 0) groups.delete(name);
}

function addTo(groups: Map<string, Set<Socket>>, name: string, socket: Socket): void {
  const sockets = groups.get(name);
  if (sockets === undefined) groups.set(name, new Set([socket]));
  else sockets.add(socket);
}
