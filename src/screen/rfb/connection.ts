import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { ApiError } from '../../contract/errors.js';
import type { Cursor } from '../cursor.js';
import { connectionLost, noAnswer, protocolError } from '../errors.js';
import { Framebuffer } from '../framebuffer.js';
import type { Region, Size } from '../types.js';
import { deferred, within } from '../wait.js';
import { Allowance } from './allowance.js';
import { type ClipboardMessage, clipboardCaps } from './clipboard.js';
import { announced, FenceFlag, type PixelEncoding } from './constants.js';
import { shakeHands } from './handshake.js';
import * as messages from './messages.js';
import { ByteReader } from './reader.js';
import { type MessageTarget, readMessage } from './server-messages.js';
import { SummaryBuilder, type UpdateSummary } from './summary.js';

/** Bytes that may wait to be sent; a server that reads so slowly has stopped. */
const MAX_UNSENT = 8 << 20;
/** Milliseconds until a server that owes an answer is given up. */
export const ANSWER_TIMEOUT_MS = 10_000;

/** Milliseconds that a closed connection has to send its last messages. */
const LINGER_MS = 1000;

export interface ConnectionOptions {
  readonly password?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs: number;
  readonly pixels: PixelEncoding;
}

interface ConnectionEvents {
  update: [summary: UpdateSummary];
  resize: [size: Size];
  clipboard: [message: ClipboardMessage];
  cursor: [cursor: Cursor];
  close: [error: ApiError | undefined];
}

/**
 * One RFB session over a stream it owns: decodes what the server sends into the framebuffer,
 * answers its fences, and knows what it announced. It never asks for pixels of itself.
 */
export class Connection extends EventEmitter<ConnectionEvents> {
  readonly framebuffer: Framebuffer;
  /** What the server has announced; all of it before the first pixel. */
  readonly can = { fences: false, clipboard: false, scancodes: false };
  cursor: Cursor | undefined;
  /** Caps Lock is on, as far as the last update told. */
  capsLock = false;
  readonly #stream: Duplex;
  readonly #reader: ByteReader;
  readonly #announced: readonly number[];
  readonly #allowance = new Allowance();
  readonly #fences = new Map<number, () => void>();
  readonly #echoes: (() => void)[] = [];
  #lastFence = 0;
  #open = true;
  #error: ApiError | undefined;
  #updating = false;
  #summary = new SummaryBuilder();

  private constructor(stream: Duplex, reader: ByteReader, size: Size, pixels: PixelEncoding) {
    super();
    this.#announced = announced(pixels);
    this.setMaxListeners(0);
    this.#stream = stream;
    this.#reader = reader;
    this.framebuffer = new Framebuffer(size);
    stream.on('error', () => {});
  }

  /** Opens the session on `stream`, which it destroys when anything goes wrong. */
  static async open(stream: Duplex, options: ConnectionOptions): Promise<Connection> {
    const reader = new ByteReader(stream);
    try {
      const size = await within(shakeHands({ reader, stream, password: options.password }), {
        timeoutMs: options.timeoutMs,
        signal: options.signal,
        onTimeout: () => noAnswer('greet', options.timeoutMs),
      });
      const connection = new Connection(stream, reader, size, options.pixels);
      const encodings = messages.setEncodings(connection.#announced);
      connection.send(messages.setPixelFormat(), encodings);
      connection.#echoes.push(() => {});
      void connection.#listen();
      return connection;
    } catch (error) {
      reader.fail(connectionLost());
      stream.on('error', () => {});
      stream.destroy();
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** An update is being written into the framebuffer, which is neither old nor new meanwhile. */
  get updating(): boolean {
    return this.#updating;
  }

  /** Throws when the connection has ended. */
  requireOpen(): void {
    if (!this.#open) throw this.#error ?? connectionLost();
  }

  /** Puts messages on the wire in one piece. Throws when the connection has ended. */
  send(...parts: readonly Buffer[]): void {
    this.requireOpen();
    this.#stream.write(parts.length === 1 ? parts[0] : Buffer.concat(parts));
    if (this.#stream.writableLength > MAX_UNSENT) {
      this.close(noAnswer('read what was sent to it', ANSWER_TIMEOUT_MS));
    }
  }

  /** Asks for pixels: all that changed, and the regions of `whole` in any case. */
  requestUpdate(...whole: readonly Region[]): void {
    const bounds = this.framebuffer.bounds;
    this.#allowance.grant(bounds.width * bounds.height);
    this.send(
      messages.updateRequest('changes', bounds),
      ...whole.map((region) => messages.updateRequest('whole', region)),
    );
  }

  /**
   * Calls `then` when the server has worked off everything sent before; synchronously, before
   * anything it sent later is decoded. Gives false if the server has no means to tell.
   *
   * The means are a fence (RFB 7.5.7; with BlockBefore alone, since TigerVNC holds the answer to
   * SyncNext back until the next message), or with QEMU its answer to SetEncodings: it confirms
   * the extended key event anew each time.
   */
  onceReached(then: () => void): boolean {
    if (this.can.fences) {
      this.#lastFence = (this.#lastFence + 1) >>> 0;
      const payload = Buffer.alloc(4);
      payload.writeUInt32BE(this.#lastFence);
      this.#fences.set(this.#lastFence, then);
      this.send(messages.fence((FenceFlag.request | FenceFlag.blockBefore) >>> 0, payload));
      return true;
    }
    if (this.can.scancodes) {
      this.#echoes.push(then);
      this.send(messages.setEncodings(this.#announced));
      return true;
    }
    return false;
  }

  /**
   * Resolves when the server has taken everything sent so far. A server without any means to
   * tell is believed once the bytes are on their way.
   */
  flush(signal?: AbortSignal): Promise<void> {
    return this.#answer('take the input', signal, (resolve) => {
      if (!this.onceReached(resolve)) resolve();
      return () => {};
    });
  }

  /** Resolves when the update that is under way is whole, or the next one. */
  updated(signal?: AbortSignal): Promise<void> {
    return this.#answer('finish its picture', signal, (resolve) => {
      this.on('update', resolve);
      return () => this.off('update', resolve);
    });
  }

  /** Waits until `begin`'s argument is called, but neither for ever nor past the connection's end. */
  async #answer(
    what: string,
    signal: AbortSignal | undefined,
    begin: (resolve: () => void) => () => void,
  ): Promise<void> {
    const answer = deferred<void>();
    const onClose = () => answer.reject(this.#error ?? connectionLost());
    this.once('close', onClose);
    let stop = () => {};
    try {
      stop = begin(() => answer.resolve());
      await within(answer.promise, {
        timeoutMs: ANSWER_TIMEOUT_MS,
        signal,
        onTimeout: () => noAnswer(what, ANSWER_TIMEOUT_MS),
      });
    } finally {
      stop();
      this.off('close', onClose);
    }
  }

  /** Ends the session; idempotent. */
  close(error?: ApiError): void {
    if (!this.#open) return;
    this.#open = false;
    this.#error = error;
    this.#fences.clear();
    this.#echoes.length = 0;
    this.#reader.fail(error ?? connectionLost());
    hangUp(this.#stream);
    this.emit('close', error);
  }

  async #listen(): Promise<void> {
    try {
      while (this.#open) await readMessage(this.#reader, this.#target);
    } catch (error) {
      this.close(asApiError(error));
    }
  }

  readonly #target: MessageTarget = this.#makeTarget();

  #makeTarget(): MessageTarget {
    const connection = this;
    return {
      get framebuffer() {
        return connection.framebuffer;
      },
      get announced() {
        return connection.#announced;
      },
      charge: (pixels) => this.#allowance.charge(pixels),
      onUpdateStart: () => {
        this.#updating = true;
        this.#summary = new SummaryBuilder();
      },
      onPixels: (region) => this.#summary.addPixels(region),
      onDamage: (region) => this.#summary.addDamage(region),
      onUpdateEnd: () => {
        this.#updating = false;
        this.emit('update', this.#summary);
      },
      onResize: (size) => {
        this.#summary.restart();
        this.emit('resize', size);
      },
      onCursor: (cursor) => {
        this.cursor = cursor;
        this.emit('cursor', cursor);
      },
      onQemuKeys: () => {
        this.can.scancodes = true;
        this.#echoes.shift()?.();
      },
      onLeds: (leds) => {
        this.capsLock = (leds & 4) !== 0;
      },
      onFence: (flags, payload) => this.#onFence(flags, payload),
      onClipboard: (message) => {
        if (message.kind === 'caps') {
          this.can.clipboard = true;
          this.send(clipboardCaps());
        } else this.emit('clipboard', message);
      },
    };
  }

  /** A request is answered at once: messages are worked off in order, so every flag is honoured. */
  #onFence(flags: number, payload: Buffer): void {
    this.can.fences = true;
    if ((flags & FenceFlag.request) !== 0) {
      const known = FenceFlag.blockBefore | FenceFlag.blockAfter | FenceFlag.syncNext;
      this.send(messages.fence(flags & known, payload));
      return;
    }
    if (payload.length !== 4) return;
    const id = payload.readUInt32BE();
    const then = this.#fences.get(id);
    this.#fences.delete(id);
    then?.();
  }
}

/** Half-closing first lets what was just sent, such as the release of a key, still arrive. */
function hangUp(stream: Duplex): void {
  const timer = setTimeout(() => stream.destroy(), LINGER_MS);
  timer.unref();
  stream.once('close', () => clearTimeout(timer));
  stream.end(() => stream.destroy());
}

function asApiError(error: unknown): ApiError {
  if (error instanceof Error && error.name === 'ApiError') return error as ApiError;
  return protocolError('sent something that could not be read', error);
}
