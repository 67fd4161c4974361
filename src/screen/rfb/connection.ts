import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiError } from '../../contract/errors.js';
import { within } from '../../lib/async/deadline.js';
import { deferred } from '../../lib/async/deferred.js';
import { endWithin } from '../../lib/streams/end-within.js';
import { joinWrites } from '../../lib/streams/join-writes.js';
import { connectionLost, noAnswer, protocolError } from '../errors.js';
import type { Region, Size } from '../geometry.js';
import type { Cursor } from '../model/cursor.js';
import { Framebuffer } from '../model/framebuffer.js';
import { Barriers } from './barriers.js';
import { type ClipboardMessage, clipboardCaps } from './clipboard.js';
import { announced, type PixelEncoding } from './constants.js';
import { shakeHands } from './handshake.js';
import * as messages from './messages.js';
import { ByteReader } from './reader.js';
import { type MessageTarget, readMessage } from './server-messages.js';
import { type UpdateDamage, UpdateDamageBuilder } from './update-damage.js';
import type { UpdateLimit } from './update-limit.js';

/** Most bytes queued for sending; a server that lags behind further has hung. */
const MAX_UNSENT = 8 << 20;
/** Milliseconds to wait for an answer of the server. */
export const ANSWER_TIMEOUT_MS = 10_000;
/** Milliseconds that a closed connection has to send its last messages. */
const LINGER_MS = 1000;

interface ConnectionOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs: number;
  readonly pixels: PixelEncoding;
  readonly limit: UpdateLimit;
}

interface ConnectionEvents {
  update: [update: UpdateDamage];
  resize: [size: Size];
  clipboard: [message: ClipboardMessage];
  cursor: [cursor: Cursor];
  close: [error: ApiError | undefined];
}

/**
 * One RFB session over a stream it owns: decodes updates into the framebuffer, answers the
 * server's fences, and records its capabilities. Requests pixels only when called to.
 */
export class Connection extends EventEmitter<ConnectionEvents> {
  readonly framebuffer: Framebuffer;
  /** The server's capabilities, all announced before the first pixel. */
  readonly can = { fences: false, clipboard: false, scancodes: false, mouseButtons: false };
  cursor: Cursor | undefined;
  /** Caps Lock was on at the last update. */
  capsLock = false;
  readonly #stream: Duplex;
  readonly #reader: ByteReader;
  readonly #announced: readonly number[];
  readonly #target: MessageTarget;
  readonly #limit: UpdateLimit;
  readonly #barriers: Barriers;
  #open = true;
  #error: ApiError | undefined;
  #updating = false;
  #damage = new UpdateDamageBuilder();

  private constructor(
    stream: Duplex,
    reader: ByteReader,
    size: Size,
    { pixels, limit }: ConnectionOptions,
  ) {
    super();
    this.#limit = limit;
    this.#announced = announced(pixels);
    this.#barriers = new Barriers({
      encodings: this.#announced,
      send: (message) => this.send(message),
    });
    this.setMaxListeners(0);
    // A click is several messages.
    joinWrites(stream);
    this.#stream = stream;
    this.#reader = reader;
    this.framebuffer = new Framebuffer(size);
    this.#target = this.#messageTarget();
    stream.on('error', () => {});
  }

  /** Opens a session on `stream`, which it destroys on failure. */
  static async open(stream: Duplex, options: ConnectionOptions): Promise<Connection> {
    const reader = new ByteReader(stream);
    try {
      const size = await within(shakeHands({ reader, stream }), {
        ms: options.timeoutMs,
        signal: options.signal,
        onTimeout: () => noAnswer('greet', options.timeoutMs),
      });
      const connection = new Connection(stream, reader, size, options);
      connection.send(messages.setPixelFormat());
      connection.#barriers.echo(() => {});
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

  /** Whether the framebuffer holds only part of an update. */
  get updating(): boolean {
    return this.#updating;
  }

  /** Throws when the connection has ended. */
  requireOpen(): void {
    if (!this.#open) throw this.#error ?? connectionLost();
  }

  /** Sends messages. Throws when the connection has ended. */
  send(...parts: readonly Buffer[]): void {
    this.requireOpen();
    for (const part of parts) this.#stream.write(part);
    if (this.#stream.writableLength > MAX_UNSENT) {
      this.close(noAnswer('read the messages sent to it', ANSWER_TIMEOUT_MS));
    }
  }

  /**
   * Requests all changed pixels, and the regions of `whole` unconditionally. A request that the server
   * itself can cause must not be granted every time: its answer then counts as unsolicited.
   */
  requestUpdate(whole: readonly Region[], { isGranted }: { readonly isGranted: boolean }): void {
    const bounds = this.framebuffer.bounds;
    if (isGranted) this.#limit.grant(bounds.width * bounds.height);
    this.send(
      messages.updateRequest('changes', bounds),
      ...whole.map((region) => messages.updateRequest('whole', region)),
    );
  }

  /**
   * Calls `then` when the server has processed everything sent before: synchronously, before later
   * messages are decoded. Returns false if the server cannot report it.
   */
  onceReached(then: () => void): boolean {
    if (this.can.fences) this.#barriers.fence(then);
    else if (this.can.scancodes) this.#barriers.echo(then);
    else return false;
    return true;
  }

  /**
   * Resolves when the server has processed everything sent so far, or at once if the server
   * cannot report it.
   */
  flush(signal?: AbortSignal): Promise<void> {
    return this.#answer('process the input', signal, (resolve) => {
      if (!this.onceReached(resolve)) resolve();
    });
  }

  /** Resolves when the current or next update is complete. */
  updated(signal?: AbortSignal): Promise<void> {
    return this.#answer('complete its update', signal, (resolve) => this.once('update', resolve));
  }

  /** Waits until `begin`'s argument is called; rejects after a time-out or when the connection ends. */
  async #answer(
    what: string,
    signal: AbortSignal | undefined,
    begin: (resolve: () => void) => void,
  ): Promise<void> {
    const answer = deferred<void>();
    const onClose = () => answer.reject(this.#error ?? connectionLost());
    this.once('close', onClose);
    try {
      begin(() => answer.resolve());
      await within(answer.promise, {
        ms: ANSWER_TIMEOUT_MS,
        signal,
        onTimeout: () => noAnswer(what, ANSWER_TIMEOUT_MS),
      });
    } finally {
      this.off('close', onClose);
    }
  }

  /** Ends the session; idempotent. */
  close(error?: ApiError): void {
    if (!this.#open) return;
    this.#open = false;
    this.#error = error;
    this.#barriers.clear();
    this.#reader.fail(error ?? connectionLost());
    // Messages just sent, such as the release of a key, still arrive.
    endWithin(this.#stream, LINGER_MS);
    this.emit('close', error);
  }

  async #listen(): Promise<void> {
    try {
      while (this.#open) await readMessage(this.#reader, this.#target);
    } catch (error) {
      this.close(asApiError(error));
    }
  }

  #messageTarget(): MessageTarget {
    return {
      framebuffer: this.framebuffer,
      announced: this.#announced,
      charge: (pixels) => this.#limit.charge(pixels),
      chargeCompact: (pixels) => {
        const ms = this.#limit.chargeCompact(pixels);
        return ms > 0 ? delay(ms) : undefined;
      },
      chargeResize: () => this.#limit.chargeResize(),
      onUpdateStart: () => {
        this.#updating = true;
        this.#damage = new UpdateDamageBuilder();
      },
      onPixels: (region) => this.#damage.addPixels(region),
      onDamage: (region) => this.#damage.addDamage(region),
      onUpdateEnd: () => {
        this.#updating = false;
        this.emit('update', this.#damage);
      },
      onResize: (size) => {
        this.#damage.restart();
        this.emit('resize', size);
      },
      onCursor: (cursor) => {
        this.cursor = cursor;
        this.emit('cursor', cursor);
      },
      onQemuKeys: () => {
        this.can.scancodes = true;
        this.#barriers.onEcho();
      },
      onMouseButtons: () => {
        this.can.mouseButtons = true;
      },
      onLeds: (leds) => {
        this.capsLock = (leds & 4) !== 0;
      },
      onFence: (flags, payload) => {
        this.can.fences = true;
        this.#barriers.onFence(flags, payload);
      },
      onClipboard: (message) => {
        if (message.kind === 'caps') {
          this.can.clipboard = true;
          this.send(clipboardCaps());
        } else this.emit('clipboard', message);
      },
    };
  }
}

function asApiError(error: unknown): ApiError {
  if (error instanceof Error && error.name === 'ApiError') return error as ApiError;
  return protocolError('sent data that could not be read', error);
}
