import type { Duplex } from 'node:stream';
import { within } from '../../../lib/async/deadline.js';
import { type Deferred, deferred } from '../../../lib/async/deferred.js';
import { TokenBucket } from '../../../lib/async/token-bucket.js';
import { JsonLineReader, type Message } from './json-lines.js';

export interface RequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** The peer did not respond in time. The connection stays open. */
export class ResponseTimeout extends Error {
  override readonly name = 'Unanswered';
}

/** The connection ended; pending requests get no response. */
export class Disconnected extends Error {
  override readonly name = 'Disconnected';
}

export interface JsonPeerOptions {
  /** Maximum length of a line in bytes; longer ones are skipped. */
  readonly limit: number;
  /**
   * Rate limit: burst, and bytes per second; see {@link LINE_BYTES}. A peer that exceeds it is
   * disconnected, because reading would block the event loop.
   */
  readonly most: { readonly bytes: number; readonly perSecond: number };
  /** The peer's name in errors. */
  readonly name: string;
  /** The first request's id; 1 by default. */
  readonly firstId?: number;
  /** Called with each message that is not a response. */
  onMessage(message: Message): void;
  /** Called once, when the connection has ended. */
  onClose(error: Disconnected): void;
}

/** Requests and responses as JSON lines, matched by `id`. Owns its stream. */
export class JsonPeer {
  readonly #stream: Duplex;
  readonly #options: JsonPeerOptions;
  readonly #pending = new Map<number, Deferred<Message>>();
  #nextId: number;
  #ended: Disconnected | undefined;

  constructor(stream: Duplex, options: JsonPeerOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#nextId = options.firstId ?? 1;
    const { bytes, perSecond } = options.most;
    const bucket = new TokenBucket(bytes, perSecond);
    const reader = new JsonLineReader(
      options.limit,
      (message) => this.#handle(message),
      (count) => bucket.take(count),
    );
    let cause: unknown;
    stream.on('data', (chunk: Buffer) => {
      if (stream.destroyed) return;
      let message = `${options.name} sent too much`;
      try {
        if (reader.read(chunk)) return;
      } catch (error) {
        // Hostile input must not crash the service.
        cause = error;
        message = `${options.name} sent what cannot be read`;
      }
      stream.destroy();
      this.#end(cause, message);
    });
    stream.on('error', (error) => {
      cause = error;
    });
    stream.on('end', () => stream.destroy());
    stream.on('close', () => this.#end(cause));
    if (stream.destroyed) this.#end(cause);
  }

  get open(): boolean {
    return this.#ended === undefined;
  }

  /**
   * Sends `message` with a new `id` and resolves with the response of the same id. Rejects with
   * {@link ResponseTimeout}, {@link Disconnected} or the signal's reason.
   */
  async request(message: Message, { timeoutMs, signal }: RequestOptions): Promise<Message> {
    if (this.#ended) throw this.#ended;
    signal?.throwIfAborted();
    const id = this.#nextId++;
    const response = deferred<Message>();
    this.#pending.set(id, response);
    this.#stream.write(`${JSON.stringify({ ...message, id })}\n`);
    const onTimeout = () =>
      new ResponseTimeout(`${this.#options.name} did not answer within ${timeoutMs / 1000} s`);
    try {
      return await within(response.promise, { ms: timeoutMs, onTimeout, signal });
    } finally {
      this.#pending.delete(id);
    }
  }

  /** Closes the connection; idempotent. */
  close(): void {
    this.#stream.destroy();
    this.#end(undefined);
  }

  #handle(message: Message): void {
    const pending = typeof message.id === 'number' ? this.#pending.get(message.id) : undefined;
    if (pending) pending.resolve(message);
    else this.#options.onMessage(message);
  }

  #end(cause: unknown, message = `${this.#options.name} closed the connection`): void {
    if (this.#ended) return;
    const error = new Disconnected(message, { cause });
    this.#ended = error;
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#options.onClose(error);
  }
}
