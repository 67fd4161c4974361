import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { Message } from './json-lines.js';
import { type AskOptions, Disconnected, JsonPeer, Unanswered } from './json-peer.js';

/** QEMU's answers are small; `query-qmp-schema`, its longest, has 250 kB. */
const LINE_LIMIT = 8 << 20;
const GREETING_MS = 10_000;
/** Most commands are answered at once; under emulation on a busy host it can take a while. */
const COMMAND_MS = 10_000;

/** QEMU refused a command; the message holds its own words. */
export class QmpError extends Error {
  override readonly name = 'QmpError';
  /** For example `GenericError`, `CommandNotFound`, `DeviceNotActive`. */
  readonly kind: string;

  constructor(command: string, kind: string, words: string) {
    super(`QEMU refused ${command}: ${words}`);
    this.kind = kind;
  }
}

export interface QmpEvent {
  readonly event: string;
  readonly data: Message;
}

interface QmpEvents {
  event: [QmpEvent];
  /** The connection ended, mostly because QEMU did. Emitted once. */
  close: [Disconnected];
}

/**
 * QEMU's machine protocol: https://www.qemu.org/docs/master/interop/qmp-spec.html. Events are
 * emitted from the moment {@link QmpClient.open} has resolved.
 */
export class QmpClient extends EventEmitter<QmpEvents> {
  readonly #peer: JsonPeer;
  #onGreeting: (() => void) | undefined;

  /** Resolves when QEMU takes commands. Owns the stream, which is destroyed if that fails. */
  static async open(
    stream: Duplex,
    { timeoutMs = GREETING_MS, signal }: Partial<AskOptions> = {},
  ): Promise<QmpClient> {
    const client = new QmpClient(stream);
    try {
      await client.#greeted(timeoutMs, signal);
      await client.execute('qmp_capabilities', undefined, { timeoutMs, signal });
      return client;
    } catch (error) {
      client.close();
      throw error;
    }
  }

  private constructor(stream: Duplex) {
    super();
    this.#peer = new JsonPeer(stream, {
      limit: LINE_LIMIT,
      name: 'QEMU',
      onMessage: (message) => this.#take(message),
      onClose: (error) => this.emit('close', error),
    });
  }

  get open(): boolean {
    return this.#peer.open;
  }

  /** Rejects with {@link QmpError} when QEMU refuses. Answers come in any order. */
  async execute(
    command: string,
    parameters?: Message,
    { timeoutMs = COMMAND_MS, signal }: Partial<AskOptions> = {},
  ): Promise<unknown> {
    const question = { execute: command, ...(parameters && { arguments: parameters }) };
    const answer = await this.#peer.ask(question, { timeoutMs, ...(signal && { signal }) });
    if ('return' in answer) return answer.return;
    const { class: kind, desc } = (answer.error ?? {}) as Message;
    throw new QmpError(command, String(kind ?? 'unknown'), String(desc ?? 'it gave no reason'));
  }

  /** Ends the connection; QEMU runs on. Idempotent. */
  close(): void {
    this.#peer.close();
  }

  #take(message: Message): void {
    if ('QMP' in message) this.#onGreeting?.();
    if (typeof message.event !== 'string') return;
    const data = message.data;
    const known = typeof data === 'object' && data !== null ? (data as Message) : {};
    this.emit('event', { event: message.event, data: known });
  }

  #greeted(timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: unknown) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.off('close', settle);
        this.#onGreeting = undefined;
        if (error === undefined) resolve();
        else reject(error);
      };
      const onAbort = () => settle(signal?.reason);
      const timer = setTimeout(
        () => settle(new Unanswered(`QEMU did not greet within ${timeoutMs / 1000} s`)),
        timeoutMs,
      );
      this.#onGreeting = () => settle();
      this.on('close', settle);
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted) onAbort();
      else if (!this.#peer.open) settle(new Disconnected('QEMU hung up'));
    });
  }
}
