import { Socket } from 'node:net';

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

/** Decides when a connection hands on what has arrived. */
export interface Turns {
  /** Whether the connection may hand on its first piece, or another one, now. Otherwise let it wait. */
  mayRead(socket: Socket, isFirst: boolean): boolean;
  /** Calls `handOn`, and returns the milliseconds that it took. */
  count(socket: Socket, handOn: () => void): number;
  /** Calls `reading.read` in a later turn. */
  wait(reading: Reading, socket: Socket): void;
  /** The connection was read or has ended, which takes time, too. */
  arrived(socket: Socket, bytes: number): void;
}

/** What Node.js reads a connection with. It has no public way to stop that at once. */
interface Handle {
  reading: boolean;
  readStart(): number;
  readStop(): number;
}

/** One connection, whose event `data` is emitted piece by piece. */
export class Reading {
  readonly #socket: Socket;
  readonly #turns: Turns;
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

  constructor(socket: Socket, turns: Turns) {
    this.#socket = socket;
    this.#turns = turns;
    // From the first listener on, the parser of Node.js takes what the stream emits.
    socket.on('data', ignore).off('data', ignore);
    this.#emit = socket.emit.bind(socket);
    socket.emit = (event: string | symbol, ...values: unknown[]) => {
      if (event === 'data') return this.#receive(values[0] as Buffer);
      if (event === 'end' || event === 'error') turns.arrived(socket, 0);
      return this.#emit(event, ...values);
    };
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

  /** Nothing has arrived on it. */
  get isUnread(): boolean {
    return this.#bytes === 0 && !this.isWaiting;
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

  get #handle(): Handle | undefined {
    return (this.#socket as unknown as { _handle?: Handle | null })._handle ?? undefined;
  }

  /**
   * Takes nothing from the system until `start`, and returns whether it did so before. Other than a
   * stream that is paused, it takes not even what has arrived in this turn.
   */
  stop(): boolean {
    const handle = this.#handle;
    if (!handle?.reading) return false;
    handle.reading = false;
    handle.readStop();
    return true;
  }

  start(): void {
    const handle = this.#handle;
    if (handle === undefined || handle.reading || this.#socket.destroyed) return;
    handle.reading = true;
    handle.readStart();
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
    if (!this.#isTurn) this.#turns.arrived(socket, chunk.length);
    this.#rest = chunk;
    let isFirst = true;
    while (
      this.#rest.length > 0 &&
      !this.#isStopped &&
      (this.#isTurn || this.#turns.mayRead(socket, isFirst))
    ) {
      const piece = this.#rest.subarray(0, this.#size);
      this.#rest = this.#rest.subarray(piece.length);
      this.#handOn(piece);
      isFirst = false;
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
