import type { Transport } from './http/transport.js';
import type { ListenerUid } from './http/trusted-peer.js';

/** The connections of a client to `origin`; each kind is loaded when it is first used. */
export class Transports {
  readonly #origin: string;
  readonly #listenerUid: ListenerUid | undefined;
  #nodeHttp: Promise<Transport> | undefined;
  #pool: Promise<Transport> | undefined;

  constructor(origin: string, listenerUid: ListenerUid | undefined) {
    this.#origin = origin;
    this.#listenerUid = listenerUid;
  }

  /** Node's own HTTP client, for a process that sends a few requests and ends. */
  nodeHttp(): Promise<Transport> {
    this.#nodeHttp ??= import('./http/node-http.js').then(({ openNodeHttp }) =>
      openNodeHttp(this.#origin, this.#listenerUid),
    );
    return this.#nodeHttp;
  }

  /** undici's pool, for many requests or bytes. */
  pooled(): Promise<Transport> {
    this.#pool ??= import('./http/undici/pool.js').then(({ openPool }) =>
      openPool(this.#origin, this.#listenerUid),
    );
    return this.#pool;
  }

  /** Closes kept-alive connections; later requests open new ones. */
  async close(): Promise<void> {
    const open = [this.#nodeHttp, this.#pool];
    this.#nodeHttp = undefined;
    this.#pool = undefined;
    await Promise.all(open.map(async (transport) => (await transport)?.close()));
  }
}
