import { Socket } from 'node:net';
// Not the global function: a test that replaces it for a while would leave connections waiting.
import { setImmediate } from 'node:timers';
import { TakingTurns } from '../../../lib/async/keyed-queue.js';

/** Milliseconds of one turn of the event loop in which the connections of an owner are read. */
const OWNER_MS = 10;
/** The same for all connections that have shown no key. */
const KEYLESS_MS = 5;
/** Milliseconds of an owner's reading after which the turns that follow are left to new connections. */
const SHORT_MS = 1;
/** Most of these turns, one after the other. */
const MOST_LEFT = 16;
/** Bytes that a new connection hands on at once: a request or two, after which its key is known. */
const FIRST = 1 << 8;
/** The same of others, and of those whose pieces take little time. */
const SMALLEST = 1 << 10;
const LARGEST = 32 << 10;
/** Milliseconds for such a piece below which the next is twice as large, and above which it is small. */
const CHEAP_MS = 0.5;
const COSTLY_MS = 2;
/** A connection that has handed on fewer bytes comes before others. */
const NEW_BYTES = 4 << 10;

const NOTHING = Buffer.alloc(0);

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
  usedMs: number;
  /** Turns that were left to new connections. */
  left: number;
}

/**
 * Divides the reading of connections into turns of the event loop. Node.js parses all that has arrived on
 * every connection in one turn, and 64 KiB can have ten thousand chunks, headers or messages of WebSockets.
 * Here each connection hands on a piece at a time, within the time that its owner has in a turn. What has
 * no time waits in the connection, which is paused.
 */
export class ReadTurns {
  readonly #readerOf: (socket: Socket) => Reader;
  readonly #readings = new WeakMap<Socket, Reading>();
  /** By owner; '' has those without a key. */
  readonly #groups = new Map<string, Group>();
  readonly #accepted: () => number;
  #isCounting = false;
  /** The connections that had been accepted at the end of the last turn. */
  #known = 0;

  /** `accepted` is the number of connections that the server has accepted: it accepts one in a turn. */
  constructor(readerOf: (socket: Socket) => Reader, accepted: () => number = () => 0) {
    this.#readerOf = readerOf;
    this.#accepted = accepted;
  }

  /** Call it for each new connection, when the HTTP server has its listeners. */
  watch(socket: Socket): void {
    this.#readings.set(socket, new Reading(socket, this));
  }

  /** Reads nothing more of the connection until the returned function is called. */
  hold(socket: Socket): () => void {
    return this.#readings.get(socket)?.hold() ?? ignore;
  }

  /** Whether something that has arrived on the connection waits for its turn. */
  isWaiting(socket: Socket): boolean {
    return this.#readings.get(socket)?.isWaiting ?? false;
  }

  /** Whether the connection may hand on a piece now. Otherwise let it wait. */
  mayRead(socket: Socket): boolean {
    const group = this.#groupOf(this.#readerOf(socket));
    return isQuiet(group) && this.#hasTime(group);
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

  /** Reads a piece of the connection in a later turn. */
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
      ...{ isKeyless: ownerId === '', usedMs: 0, left: 0 },
      ...{ fresh: new TakingTurns<Reading>(), others: new TakingTurns<Reading>() },
    };
    this.#groups.set(ownerId, group);
    return group;
  }

  #hasTime({ isKeyless, usedMs, left }: Group): boolean {
    return left === 0 && usedMs < (isKeyless ? KEYLESS_MS : OWNER_MS);
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
      // What has no key is new connections.
      const isLeft = !group.isKeyless && (group.usedMs > SHORT_MS || group.left > 0);
      const isWaitedFor = isAccepting && isLeft;
      group.left = isWaitedFor && group.left < MOST_LEFT ? group.left + 1 : 0;
      group.usedMs = 0;
      if (isQuiet(group) && group.left === 0) this.#groups.delete(ownerId);
    }
    for (const group of [...this.#groups.values()]) {
      while (this.#hasTime(group)) {
        const next = group.fresh.next() ?? group.others.next();
        if (next === undefined) break;
        next.read();
      }
    }
    if (this.#groups.size > 0) this.#expectTurn();
  };
}

/** Whether none of its connections waits. */
function isQuiet({ fresh, others }: Group): boolean {
  return fresh.isEmpty && others.isEmpty;
}

/** One connection, whose event `data` is emitted piece by piece. */
class Reading {
  readonly #socket: Socket;
  readonly #turns: ReadTurns;
  #emit: Socket['emit'];
  #piece = SMALLEST;
  #bytes = 0;
  /** Its stream was paused by its reader, for example by a WebSocket whose messages wait. */
  #isPaused = false;
  #holds = 0;
  isWaiting = false;
  /** Of the bytes that were read, those that have not been handed on. */
  #rest: Buffer = NOTHING;
  /** It hands on what it has waited for. */
  #isTurn = false;

  constructor(socket: Socket, turns: ReadTurns) {
    this.#socket = socket;
    this.#turns = turns;
    // From the first listener on, the parser of Node.js takes what the stream emits.
    socket.on('data', ignore).off('data', ignore);
    this.#emit = socket.emit.bind(socket);
    socket.emit = (event: string | symbol, ...values: unknown[]) =>
      event === 'data' ? this.#receive(values[0] as Buffer) : this.#emit(event, ...values);
    // What is put back comes before the rest of the piece's read.
    socket.unshift = (bytes: Buffer) => {
      const rest = this.#rest;
      this.#rest = NOTHING;
      // Copies only what has to be joined.
      const parts = [bytes, rest].filter(({ length }) => length > 0);
      const [all = NOTHING, ...more] = parts;
      Socket.prototype.unshift.call(socket, more.length === 0 ? all : Buffer.concat(parts));
    };
    socket.pause = () => {
      this.#isPaused = true;
      return Socket.prototype.pause.call(socket);
    };
    socket.resume = () => {
      this.#isPaused = false;
      return this.isWaiting || this.#holds > 0 ? socket : Socket.prototype.resume.call(socket);
    };
  }

  get #size(): number {
    return this.#bytes < SMALLEST ? FIRST : this.#piece;
  }

  get isNew(): boolean {
    return this.#bytes < NEW_BYTES;
  }

  hold(): () => void {
    // Upgraded: its stream does not flow until it has its next listener.
    if (this.#socket.listenerCount('data') === 0) return ignore;
    this.#holds += 1;
    Socket.prototype.pause.call(this.#socket);
    return () => {
      this.#holds -= 1;
      if (this.#holds === 0 && !this.#isPaused) this.#socket.resume();
    };
  }

  /** Hands on a piece that the stream has kept. */
  read(): void {
    const socket = this.#socket;
    this.isWaiting = false;
    // Who has paused it resumes it, and then it comes here again.
    if (socket.destroyed || this.#isStopped) return;
    this.#isTurn = true;
    // Emits `data`.
    socket.read(Math.min(this.#size, socket.readableLength));
    this.#isTurn = false;
    if (socket.destroyed || this.#isStopped || socket.listenerCount('data') === 0) return;
    if (socket.readableLength > 0) this.#wait();
    else Socket.prototype.resume.call(socket);
  }

  get #isStopped(): boolean {
    return this.#isPaused || this.#holds > 0;
  }

  #receive(chunk: Buffer): boolean {
    const socket = this.#socket;
    this.#rest = chunk;
    while (
      this.#rest.length > 0 &&
      !this.#isStopped &&
      (this.#isTurn || this.#turns.mayRead(socket))
    ) {
      const piece = this.#rest.subarray(0, this.#size);
      this.#rest = this.#rest.subarray(piece.length);
      this.#handOn(piece);
      if (socket.destroyed) return true;
      // Upgraded: the rest is for the next listener, which resumes the stream.
      if (socket.listenerCount('data') === 0) break;
    }
    if (this.#rest.length === 0) return true;
    const isRead = socket.listenerCount('data') > 0;
    if (isRead) Socket.prototype.pause.call(socket);
    // The rest of the read.
    socket.unshift(NOTHING);
    if (isRead && !this.#isStopped && !this.isWaiting) this.#wait();
    return true;
  }

  #handOn(piece: Buffer): void {
    const ms = this.#turns.count(this.#socket, () => this.#emit('data', piece));
    this.#bytes += piece.length;
    if (ms > COSTLY_MS) this.#piece = SMALLEST;
    else if (ms < CHEAP_MS && piece.length === this.#piece) {
      this.#piece = Math.min(LARGEST, 2 * this.#piece);
    }
  }

  #wait(): void {
    this.isWaiting = true;
    this.#turns.wait(this, this.#socket);
  }
}

function ignore(): void {}
