import type { Duplex } from 'node:stream';
import { JsonLineReader, type Message } from './json-lines.js';

export interface AskOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** The other side did not answer a question in time. The connection stays. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/** The connection ended; whatever was asked will never be answered. */
export class Disconnected extends Error {
  override readonly name = 'Disconnected';
}

interface Pending {
  settle(answer: Message | undefined, error?: unknown): void;
}

export interface JsonPeerOptions {
  /** Longest line in bytes that is read; longer ones are left out. */
  readonly limit: number;
  /** What to call the other side in errors. */
  readonly name: string;
  /** The first question's id; 1 if left out. */
  readonly firstId?: number;
  /** Called with what answers no question. */
  onMessage(message: Message): void;
  /** Called once, when the connection has ended. */
  onClose(error: Disconnected): void;
}

/** Questions and answers in JSON, one object a line, matched by their `id`. Owns its stream. */
export class JsonPeer {
  readonly #stream: Duplex;
  readonly #options: JsonPeerOptions;
  readonly #pending = new Map<number, Pending>();
  #next: number;
  #ended: Disconnected | undefined;

  constructor(stream: Duplex, options: JsonPeerOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#next = options.firstId ?? 1;
    const reader = new JsonLineReader(options.limit, (message) => this.#take(message));
    let cause: unknown;
    stream.on('data', (chunk: Buffer) => reader.read(chunk));
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
   * Sends `question` with a new `id` and resolves with the answer that carries it. Rejects with
   * {@link Unanswered}, {@link Disconnected} or the signal's reason.
   */
  ask(question: Message, { timeoutMs, signal }: AskOptions): Promise<Message> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended);
      if (signal?.aborted) return reject(signal.reason);
      const id = this.#next++;
      const settle = (answer: Message | undefined, error?: unknown) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.#pending.delete(id);
        if (answer) resolve(answer);
        else reject(error);
      };
      const onAbort = () => settle(undefined, signal?.reason);
      const timer = setTimeout(() => {
        const message = `${this.#options.name} did not answer within ${timeoutMs / 1000} s`;
        settle(undefined, new Unanswered(message));
      }, timeoutMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#pending.set(id, { settle });
      this.#stream.write(`${JSON.stringify({ ...question, id })}\n`);
    });
  }

  /** Ends the connection; idempotent. */
  close(): void {
    this.#stream.destroy();
    this.#end(undefined);
  }

  #take(message: Message): void {
    const pending = typeof message.id === 'number' ? this.#pending.get(message.id) : undefined;
    if (pending) pending.settle(message);
    else this.#options.onMessage(message);
  }

  #end(cause: unknown): void {
    if (this.#ended) return;
    const error = new Disconnected(`${this.#options.name} hung up`, { cause });
    this.#ended = error;
    for (const pending of [...this.#pending.values()]) pending.settle(undefined, error);
    this.#options.onClose(error);
  }
}
