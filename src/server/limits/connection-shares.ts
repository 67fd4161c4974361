import type { Socket } from 'node:net';

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

interface Entry {
  readonly address: string;
  readonly openedAt: number;
  ownerId: string | undefined;
}

/** Open connections by owner, and those that have shown no key by address, the oldest first. */
export class ConnectionShares {
  readonly #limit: number;
  readonly #mostNew: number;
  readonly #entries = new Map<Socket, Entry>();
  readonly #owners = new Map<string, Set<Socket>>();
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
    this.#entries.set(socket, { address, openedAt: performance.now(), ownerId: undefined });
    addTo(this.#addresses, address, socket);
    this.#keyless += 1;
  }

  /** Counts an open connection as the owner's. */
  trust(socket: Socket, ownerId: string): void {
    const entry = this.#entries.get(socket);
    if (entry === undefined || entry.ownerId === ownerId) return;
    this.#leave(socket, entry);
    entry.ownerId = ownerId;
    addTo(this.#owners, ownerId, socket);
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
   */
  victim(isIdle: (socket: Socket) => boolean): Socket | undefined {
    const owners = [...this.#owners.values()].sort((a, b) => b.size - a.size);
    const [most] = owners;
    const mayClose = this.#mayCloseKeyless();
    const equalPart = this.#limit / (owners.length + 1);
    for (const sockets of owners) {
      if (mayClose && this.#keyless >= sockets.size) break;
      if (sockets !== most && sockets.size <= equalPart) break;
      for (const socket of sockets) if (isIdle(socket)) return socket;
    }
    if (mayClose || most === undefined) return this.#oldestKeyless();
    const [oldest] = most;
    return oldest;
  }

  /** The connections of an owner, or those that have shown no key. */
  *of(ownerId?: string): Iterable<Socket> {
    if (ownerId !== undefined) yield* this.#owners.get(ownerId) ?? [];
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

  /** The connection to close of an owner who has more than one can have: an idle one, or the oldest. */
  tooMany(ownerId: string, isIdle: (socket: Socket) => boolean): Socket | undefined {
    const sockets = this.#owners.get(ownerId);
    if (sockets === undefined || sockets.size <= MOST_OF_OWNER) return undefined;
    for (const socket of sockets) if (isIdle(socket)) return socket;
    const [oldest] = sockets;
    return oldest;
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

  #leave(socket: Socket, { ownerId, address }: Entry): void {
    if (ownerId === undefined) this.#keyless -= 1;
    const [groups, name] =
      ownerId === undefined ? [this.#addresses, address] : [this.#owners, ownerId];
    const sockets = groups.get(name);
    sockets?.delete(socket);
    if (sockets?.size === 0) groups.delete(name);
  }
}

function addTo(groups: Map<string, Set<Socket>>, name: string, socket: Socket): void {
  const sockets = groups.get(name);
  if (sockets === undefined) groups.set(name, new Set([socket]));
  else sockets.add(socket);
}
