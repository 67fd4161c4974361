import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { within } from '../../../lib/async/deadline.js';
import { deferred } from '../../../lib/async/deferred.js';
import type { Message } from './json-lines.js';
import { type Disconnected, JsonPeer, type RequestOptions, ResponseTimeout } from './json-peer.js';

/** The longest response, to `query-qmp-schema`, has 250 kB. */
const LINE_LIMIT = 1 << 20;
/** Far above what QEMU sends, even if the guest triggers events in a loop. */
const MOST = { bytes: 4 << 20, perSecond: 512 << 10 };
const GREETING_MS = 10_000;
/** Most responses are immediate; under TCG on a busy host they can take seconds. */
const COMMAND_MS = 10_000;

/** QEMU returned an error; the message includes its description. */
export class QmpError extends Error {
  override readonly name = 'QmpError';
  /** For example `GenericError`, `CommandNotFound`, `DeviceNotActive`. */
  readonly kind: string;

  constructor(command: string, kind: string, description: string) {
    super(`QEMU refused ${command}: ${description}`);
    this.kind = kind;
  }
}

export interface QmpEvent {
  readonly event: string;
  readonly data: Message;
}

interface QmpEvents {
  event: [QmpEvent];
  /** The connection ended, usually because QEMU exited. Emitted once. */
  close: [Disconnected];
}

/**
 * A client of the QEMU Machine Protocol: https://www.qemu.org/docs/master/interop/qmp-spec.html.
 * Emits events once {@link QmpClient.open} has resolved.
 */
export class QmpClient extends EventEmitter<QmpEvents> {
  readonly #peer: JsonPeer;
  readonly #greeting = deferred<void>();

  /** Resolves when QEMU accepts commands. Owns the stream, and destroys it on failure. */
  static async open(
    stream: Duplex,
    { timeoutMs = GREETING_MS, signal }: Partial<RequestOptions> = {},
  ): Promise<QmpClient> {
    const client = new QmpClient(stream);
    try {
      const onTimeout = () =>
        new ResponseTimeout(`QEMU sent no greeting within ${timeoutMs / 1000} s`);
      await within(client.#greeting.promise, { ms: timeoutMs, onTimeout, signal });
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
      most: MOST,
      name: 'QEMU',
      onMessage: (message) => this.#handle(message),
      onClose: (error) => {
        this.#greeting.reject(error);
        this.emit('close', error);
      },
    });
  }

  get open(): boolean {
    return this.#peer.open;
  }

  /** Rejects with {@link QmpError} if QEMU returns an error. */
  async execute(
    command: string,
    parameters?: Message,
    { timeoutMs = COMMAND_MS, signal }: Partial<RequestOptions> = {},
  ): Promise<unknown> {
    const request = { execute: command, ...(parameters && { arguments: parameters }) };
    const response = await this.#peer.request(request, { timeoutMs, ...(signal && { signal }) });
    if ('return' in response) return response.return;
    const { class: kind, desc } = (response.error ?? {}) as Message;
    throw new QmpError(command, String(kind ?? 'unknown'), String(desc ?? 'it gave no reason'));
  }

  /** Closes the connection; QEMU keeps running. Idempotent. */
  close(): void {
    this.#peer.close();
  }

  #handle(message: Message): void {
    if ('QMP' in message) this.#greeting.resolve();
    if (typeof message.event !== 'string') return;
    const data = message.data;
    const known = typeof data === 'object' && data !== null ? (data as Message) : {};
    this.emit('event', { event: message.event, data: known });
  }
}
