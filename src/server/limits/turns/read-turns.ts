import { Socket } from 'node:net';
// Not the global function: a test that replaces it for a while would leave connections waiting.
import { setImmediate } from 'node:timers';
import { TakingTurns } from '../../../lib/async/keyed-queue.js';

/** Milliseconds of one turn of the event loop in which the connections of an owner are read. */
const OWNER_MS = 10;
/** The same for all connections that have shown no key. */
const KEYLESS_MS = 5;
/** Bytes that a connection hands on at once: at first, a request or two, and when they take little time. */
const SMALLEST = 1 << 8;
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
  readonly mostMs: number;
  /** Those without a key that have handed on little come first: they may bring one. */
  readonly fresh: TakingTurns<Reading>;
  readonly others: TakingTurns<Reading>;
  usedMs: number;
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
  #isCounting = false;

  constructor(readerOf: (socket: Socket) => Reader) {
    this.#readerOf = readerOf;
  }

  /** Call it for each new connection, when the HTTP server has its listeners. */
  watch(socket: Socket): void {
    this.#readings.set(socket, new Reading(socket, this));
  }

  /** Reads nothing more of the connection until the returned function is called. */
  hold(socket: Socket): () => void {
    return this.#readings.get(socket)?.hold() ?? ignore;
  }

  /** Whether the connection may hand on a piece now. Otherwise let it wait. */
  mayRead(socket: Socket): boolean {
    const group = this.#groupOf(this.#readerOf(socket));
    return isQuiet(group) && group.usedMs < group.mostMs;
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
    const mostMs = ownerId === '' ? KEYLESS_MS : OWNER_MS;
    const group: Group = {
      ...{ mostMs, usedMs: 0 },
      ...{ fresh: new TakingTurns<Reading>(), others: new TakingTurns<Reading>() },
    };
    this.#groups.set(ownerId, group);
    return group;
  }

  #expectTurn(): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    setImmediate(this.#nextTurn);
  }

  readonly #nextTurn = (): void => {
    this.#isCounting = false;
    for (const [ownerId, group] of [...this.#groups]) {
      if (isQuiet(group)) this.#groups.delete(ownerId);
      group.usedMs = 0;
    }
    for (const group of [...this.#groups.values()]) {
      for (let next = first(group); next !== undefined; next = first(group)) next.read();
    }
    if (this.#groups.size > 0) this.#expectTurn();
  };
}

/** Takes the reading whose turn is next, if its group has time. */
function first({ fresh, others, usedMs, mostMs }: Group): Reading | undefined {
  return usedMs < mostMs ? (fresh.next() ?? others.next()) : undefined;
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
  #isWaiting = false;
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
      const all = this.#rest.length === 0 ? bytes : Buffer.concat([bytes, this.#rest]);
      this.#rest = NOTHING;
      Socket.prototype.unshift.call(socket, all);
    };
    socket.pause = () => {
      this.#isPaused = true;
      return Socket.prototype.pause.call(socket);
    };
    socket.resume = () => {
      this.#isPaused = false;
      return this.#isWaiting || this.#holds > 0 ? socket : Socket.prototype.resume.call(socket);
    };
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
    this.#isWaiting = false;
    // Who has paused it resumes it, and then it comes here again.
    if (socket.destroyed || this.#isStopped) return;
    this.#isTurn = true;
    // Emits `data`.
    socket.read(Math.min(this.#piece, socket.readableLength));
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
      const piece = this.#rest.subarray(0, this.#piece);
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
    if (isRead && !this.#isStopped && !this.#isWaiting) this.#wait();
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
    this.#isWaiting = true;
    this.#turns.wait(this, this.#socket);
  }
}

function ignore(): void {}
