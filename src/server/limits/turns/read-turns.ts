import type { Socket } from 'node:net';
// Not the global function: a test that replaces it for a while would leave connections waiting.
import { setImmediate } from 'node:timers';
import { TakingTurns } from '../../../lib/async/keyed-queue.js';
import { Reading, type Turns } from './reading.js';
import { StoppedReads } from './stopped-reads.js';

/** Milliseconds of one turn of the event loop in which the connections of an owner are read. */
const OWNER_MS = 10;
/** The same for all connections that have shown no key. */
const KEYLESS_MS = 5;
/** Milliseconds of reading after which the turns that follow are left to new connections. */
const SHORT_MS = 1;
/** Most of these turns, one after the other: of an owner, and of all connections without a key. */
const MOST_LEFT = 16;
const MOST_LEFT_KEYLESS = 63;
/** Milliseconds of such a turn for those without a key that have handed on little. */
const FRESH_MS = 1;
/**
 * Connections of an owner that are read in a turn without time to hand anything on. Each read takes up
 * to 64 KiB from the system.
 */
const MOST_PARKED = 8;
/** So many new connections are read the first time, also when others are not: they may bring a key. */
const MOST_UNREAD = 16;
/** Milliseconds that Node.js takes to read 64 KiB, and for the end of a connection. */
const READ_MS = 0.4;
const READ_BYTES = 64 << 10;
const END_MS = 0.1;

/** Whose time the reading of a connection takes: an owner's, or that of all addresses without a key. */
export interface Reader {
  readonly ownerId?: string | undefined;
  /** Connections of one queue wait for each other: those of an address, or of a limited key. */
  readonly queue: string;
}

/** The connections of an owner, or of all addresses without a key, that wait, by queue. */
interface Group {
  readonly isKeyless: boolean;
  /** Those without a key that have handed on little come first: they may bring one. */
  readonly fresh: TakingTurns<Reading>;
  readonly others: TakingTurns<Reading>;
  /** Nothing that arrives on these is read until they are started again. */
  readonly stopped: StoppedReads;
  usedMs: number;
  /** Connections that were read in this turn and wait. */
  parked: number;
  /** Those of the group are not read any more in this turn. */
  isStopped: boolean;
  /** Turns that were left to new connections. */
  left: number;
}

interface Options {
  readonly readerOf: (socket: Socket) => Reader;
  /** The open connections of an owner, or all that have shown no key. */
  readonly connectionsOf?: (ownerId?: string) => Iterable<Socket>;
  /** The number of connections that the server has accepted: it accepts one in a turn. */
  readonly accepted?: () => number;
}

/**
 * Divides the reading of connections into turns of the event loop. Node.js parses all that has arrived on
 * every connection in one turn, and 64 KiB can have ten thousand chunks, headers or messages of WebSockets.
 * Here each connection hands on a piece at a time, within the time that its owner has in a turn. What has
 * no time waits in the connection, which is paused. When many have arrived at once, the others are not
 * even read: to take 64 KiB from the system for each of thousands would be one long turn, too.
 */
export class ReadTurns implements Turns {
  readonly #readerOf: (socket: Socket) => Reader;
  readonly #connectionsOf: (ownerId?: string) => Iterable<Socket>;
  readonly #readings = new WeakMap<Socket, Reading>();
  /** By owner; '' has those without a key. */
  readonly #groups = new Map<string, Group>();
  readonly #accepted: () => number;
  /** The newest connections. */
  readonly #newest: Reading[] = [];
  #isCounting = false;
  /** The connections that had been accepted at the end of the last turn. */
  #known = 0;

  constructor({ readerOf, connectionsOf = () => [], accepted = () => 0 }: Options) {
    this.#readerOf = readerOf;
    this.#connectionsOf = connectionsOf;
    this.#accepted = accepted;
  }

  /** Call it for each new connection, when the HTTP server has its listeners. */
  watch(socket: Socket): void {
    const reading = new Reading(socket, this);
    this.#readings.set(socket, reading);
    this.#newest.push(reading);
    if (this.#newest.length > MOST_UNREAD) this.#newest.shift();
  }

  /** Reads nothing more of the connection until the returned function is called. */
  hold(socket: Socket): () => void {
    return this.#readings.get(socket)?.hold() ?? (() => undefined);
  }

  /** Whether something that has arrived on the connection waits for its turn. */
  isWaiting(socket: Socket): boolean {
    return this.#readings.get(socket)?.isWaiting ?? false;
  }

  mayRead(socket: Socket, isFirst: boolean): boolean {
    const group = this.#groupOf(this.#readerOf(socket));
    // The answer to its request may close the connection: what follows is not parsed before that.
    if (group.isKeyless && !isFirst) return false;
    return this.#hasTimeFor(group, socket);
  }

  arrived(socket: Socket, bytes: number): void {
    const reader = this.#readerOf(socket);
    const group = this.#groupOf(reader);
    group.usedMs += bytes === 0 ? END_MS : (bytes / READ_BYTES) * READ_MS;
    this.#expectTurn();
    if (this.#hasTimeFor(group, socket)) return;
    group.parked += 1;
    if (group.parked >= MOST_PARKED && !group.isStopped) this.#stop(group, reader);
  }

  /**
   * Calls `handOn` in the time of the connection's reader. If a key was in what is handed on, it takes
   * that of the owner, too: other new connections have had their turn for nothing otherwise.
   */
  count(socket: Socket, handOn: () => void): number {
    const before = this.#groupOf(this.#readerOf(socket));
    const begun = performance.now();
    handOn();
    const ms = performance.now() - begun;
    const after = this.#groupOf(this.#readerOf(socket));
    before.usedMs += ms;
    if (after !== before) after.usedMs += ms;
    this.#expectTurn();
    return ms;
  }

  wait(reading: Reading, socket: Socket): void {
    const reader = this.#readerOf(socket);
    const { fresh, others } = this.#groupOf(reader);
    const mayBringKey = reader.ownerId === undefined && reading.isNew;
    (mayBringKey ? fresh : others).add(reader.queue, reading);
    this.#expectTurn();
  }

  #groupOf({ ownerId = '' }: Reader): Group {
    const known = this.#groups.get(ownerId);
    if (known !== undefined) return known;
    const group: Group = {
      ...{ isKeyless: ownerId === '', usedMs: 0, parked: 0, isStopped: false, left: 0 },
      ...{ fresh: new TakingTurns<Reading>(), others: new TakingTurns<Reading>() },
      stopped: new StoppedReads(),
    };
    this.#groups.set(ownerId, group);
    return group;
  }

  #hasTime({ isKeyless, usedMs, left }: Group): boolean {
    return left === 0 && usedMs < (isKeyless ? KEYLESS_MS : OWNER_MS);
  }

  /** The same for those without a key that have handed on little: some also in turns that are left. */
  #hasFreshTime(group: Group): boolean {
    return this.#hasTime(group) || (group.isKeyless && group.usedMs < FRESH_MS);
  }

  #hasTimeFor(group: Group, socket: Socket): boolean {
    if (group.left === 0) return isQuiet(group) && this.#hasTime(group);
    const isFresh = this.#readings.get(socket)?.isNew === true;
    return isFresh && group.fresh.isEmpty && this.#hasFreshTime(group);
  }

  #stop(group: Group, { ownerId }: Reader): void {
    group.isStopped = true;
    for (const socket of this.#connectionsOf(ownerId)) {
      const reading = this.#readings.get(socket);
      if (reading === undefined) continue;
      if (reading.isUnread && this.#newest.includes(reading)) continue;
      group.stopped.stop(reading, this.#readerOf(socket).queue);
    }
  }

  #expectTurn(): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    this.#known = this.#accepted();
    setImmediate(this.#nextTurn);
  }

  readonly #nextTurn = (): void => {
    this.#isCounting = false;
    const isAccepting = this.#accepted() > this.#known;
    for (const [ownerId, group] of [...this.#groups]) {
      const most = group.isKeyless ? MOST_LEFT_KEYLESS : MOST_LEFT;
      const isWaitedFor = isAccepting && (group.usedMs > SHORT_MS || group.left > 0);
      group.left = isWaitedFor && group.left < most ? group.left + 1 : 0;
      Object.assign(group, { usedMs: 0, parked: 0, isStopped: false });
      if (isQuiet(group) && group.stopped.isEmpty && group.left === 0) this.#groups.delete(ownerId);
    }
    for (const group of [...this.#groups.values()]) {
      while (this.#hasFreshTime(group)) {
        const next = group.fresh.next() ?? (this.#hasTime(group) ? group.others.next() : undefined);
        if (next === undefined) break;
        next.read();
      }
      if (group.left === 0) group.stopped.start();
    }
    if (this.#groups.size > 0) this.#expectTurn();
  };
}

/** Whether none of its connections waits. */
function isQuiet({ fresh, others }: Group): boolean {
  return fresh.isEmpty && others.isEmpty;
}
