import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ConnectionShares } from './connection-shares.js';
import { KeylessTurns } from './turns/keyless-turns.js';
import { ReadTurns } from './turns/read-turns.js';

/** Limit of connections if the process may have enough descriptors. */
const MOST = 10_000;
/** Requests of one connection at once. Clients send the next one when they have an answer. */
const MOST_REQUESTS = 16;
/** The same for one that has shown no key. */
const MOST_KEYLESS = 4;
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

/** Events of a server that begin a request. */
const REQUESTS = ['request', 'checkContinue', 'upgrade'] as const;

/** Whose a connection is: it has shown a key of theirs. */
export interface ConnectionOwner {
  readonly ownerId: string;
  /** That of a limited key, whose connections delay no other's; see `queueOf`. */
  readonly queue?: string | undefined;
}

interface Connection {
  /** Of its current requests. */
  readonly responses: Set<ServerResponse>;
  /** Each forgets a request that waits for its turn. */
  readonly waiting: Set<() => void>;
  isUpgraded: boolean;
}

/**
 * Limits the server's connections. At the limit a new one replaces one of the owner who has the most,
 * as which all clients without a key count, so that neither they nor an owner can block health checks
 * and the requests of others, not even by requests that do not end. One that sends request after
 * request and reads no answer is closed: each would wait in memory.
 */
export class ConnectionLimit {
  readonly #limit: number;
  readonly #open = new Map<Socket, Connection>();
  readonly #shares: ConnectionShares;
  /** The owners of connections that have shown a key. */
  readonly #trusted = new WeakMap<Socket, ConnectionOwner>();
  readonly #server: Server;
  #accepted = 0;
  #isStopping = false;
  readonly #keyless = new KeylessTurns(() => this.#accepted);
  readonly #reads = new ReadTurns({
    readerOf: (socket) => {
      const { ownerId, queue } = this.#trusted.get(socket) ?? {};
      return { ownerId, queue: queue ?? this.#shares.addressOf(socket) };
    },
    connectionsOf: (ownerId) => this.#shares.of(ownerId),
    accepted: () => this.#accepted,
  });
  /** The listeners of this limit, which count a request at once. */
  readonly #own: ReadonlySet<unknown>;
  #ownerOf: (request: IncomingMessage) => ConnectionOwner | undefined = () => undefined;

  constructor(server: Server, limit = connectionLimit()) {
    this.#limit = limit;
    this.#shares = new ConnectionShares(limit);
    this.#server = server;
    server.on('connection', (socket) => this.#add(socket));
    const begin = (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request;
      const owner = this.#ownerOf(request);
      if (owner !== undefined) this.trust(socket, owner);
      // Each of the service's limits listens for its end.
      response.setMaxListeners(20);
      const connection = this.#open.get(socket);
      if (connection === undefined) return closeSoon(response);
      const { responses } = connection;
      responses.add(response);
      response.once('close', () => responses.delete(response));
      const most = this.#trusted.has(socket) ? MOST_REQUESTS : MOST_KEYLESS;
      if (responses.size > most) socket.destroy();
    };
    // Before the request is handled.
    server.prependListener('request', begin);
    server.prependListener('checkContinue', begin);
    const upgrade = ({ socket }: IncomingMessage) => {
      // Nothing would close a WebSocket that opens now.
      if (this.#isStopping) return void socket.destroy();
      const connection = this.#open.get(socket);
      if (connection !== undefined) connection.isUpgraded = true;
      // Node.js has no listener of its own from here on, and the request may wait for its turn.
      socket.on('error', () => undefined);
    };
    server.on('upgrade', upgrade);
    this.#own = new Set<unknown>([begin, upgrade]);
  }

  /**
   * Lets requests without a key begin in turns of the event loop that leave time for others. Call it
   * when all listeners for requests are there; `ownerOf` returns the owner of a request with a key.
   */
  divideTurns(ownerOf: (request: IncomingMessage) => ConnectionOwner | undefined): void {
    this.#ownerOf = ownerOf;
    for (const event of REQUESTS) {
      const handlers = this.#server.listeners(event).filter((one) => !this.#own.has(one));
      for (const handler of handlers) this.#server.off(event, handler as () => void);
      this.#server.on(event, (request: IncomingMessage, ...rest: unknown[]) => {
        const { socket } = request;
        const begin = () => {
          if (socket.destroyed) return;
          for (const handler of handlers) handler.call(this.#server, request, ...rest);
        };
        if (ownerOf(request) !== undefined) return begin();
        this.inKeylessTurn(socket, begin);
      });
    }
  }

  /** Opens no further WebSocket, and after `ms` milliseconds closes what is still open. */
  stop(ms: number): void {
    this.#isStopping = true;
    const closeAll = () => {
      for (const socket of this.#open.keys()) socket.destroy();
    };
    setTimeout(closeAll, ms).unref();
  }

  /** Begins a request without a key, or what follows its body, if the client is there then. */
  inKeylessTurn(socket: Socket, begin: () => void): void {
    const address = this.#shares.addressOf(socket);
    const waiting = this.#open.get(socket)?.waiting;
    let release: (() => void) | undefined;
    const turn = () => {
      waiting?.delete(forget);
      begin();
      release?.();
    };
    const forget = () => this.#keyless.leave(turn, address);
    if (this.#keyless.enter(turn, address)) return;
    // Its body would be parsed while it waits.
    release = this.#reads.hold(socket);
    waiting?.add(forget);
  }

  /** The connection belongs to an owner: its request had a key, or its live view a ticket. */
  trust(socket: Socket, { ownerId, queue }: ConnectionOwner): void {
    const known = this.#trusted.get(socket);
    if (known?.ownerId === ownerId && known.queue === queue) return;
    this.#trusted.set(socket, { ownerId, queue });
    this.#shares.trust(socket, ownerId, queue);
    const surplus = this.#shares.tooMany(socket, this.#isIdle);
    if (surplus === undefined) return;
    surplus.destroy();
    // At once, so that the next one of the same turn closes another one.
    this.#remove(surplus);
  }

  #add(socket: Socket): void {
    this.#accepted += 1;
    // Its client left before it was accepted: many such would delay all that wait behind them.
    if (socket.remoteAddress === undefined && typeof this.#server.address() === 'object') {
      socket.destroy();
      return;
    }
    const isFull = this.#open.size >= this.#limit;
    const victim = isFull
      ? this.#shares.victim(this.#isIdle)
      : this.#shares.oldIdleOne((one) => this.#isIdle(one) && !this.#reads.isWaiting(one));
    if (victim !== undefined) {
      victim.destroy();
      this.#remove(victim);
    } else if (isFull) {
      socket.destroy();
      return;
    }
    const responses = new Set<ServerResponse>();
    const waiting = new Set<() => void>();
    this.#open.set(socket, { responses, waiting, isUpgraded: false });
    this.#shares.add(socket);
    this.#reads.watch(socket);
    // Each of the service's limits listens for its end.
    socket.setMaxListeners(20);
    socket.once('close', () => {
      this.#remove(socket);
      for (const forget of waiting) forget();
      for (const response of responses) closeSoon(response);
    });
  }

  readonly #isIdle = (socket: Socket) => {
    const connection = this.#open.get(socket);
    return connection?.responses.size === 0 && !connection.isUpgraded;
  };

  #remove(socket: Socket): void {
    this.#open.delete(socket);
    this.#shares.remove(socket);
  }
}

/**
 * Closes the response of a connection that has closed. Node.js does so only for the one that is being
 * sent: those of further requests, which wait for it, would never end.
 */
function closeSoon(response: ServerResponse): void {
  process.nextTick(() => {
    if (response.closed) return;
    response.destroy();
    Object.assign(response, { _closed: true });
    response.emit('close');
  });
}
