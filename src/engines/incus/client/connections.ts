import { Pool } from 'undici';
import { type ClientOptions, WebSocket } from 'ws';
import type { ClusterSettings } from '../settings.js';

const CONNECT_MS = 3_000;
/** Connections to a member at most; further requests wait. */
const MAX_CONNECTIONS = 32;
/** Largest answer: a thousand instances with their state take 20 MB. */
const MAX_ANSWER = 64 << 20;
/** Largest message of a WebSocket: members send 128 KiB at most. */
const MAX_MESSAGE = 4 << 20;

/** The way to the members: TLS, or the unix socket of the member on this host, which is the operator's. */
type Way =
  | { readonly ca: string; readonly cert: string; readonly key: string }
  | { readonly socketPath: string };

/** Connections to the members of a cluster, by base URL. */
export class Connections {
  readonly #way: Way;
  readonly #pools = new Map<string, Pool>();

  constructor(settings: ClusterSettings | { readonly socketPath: string }) {
    if ('socketPath' in settings) this.#way = { socketPath: settings.socketPath };
    else {
      const { serverCertificate: ca, clientCertificate: cert, clientKey: key } = settings;
      this.#way = { ca, cert, key };
    }
  }

  pool(url: string): Pool {
    const open = this.#pools.get(url);
    if (open !== undefined) return open;
    const pool = new Pool(url, {
      connections: MAX_CONNECTIONS,
      maxResponseSize: MAX_ANSWER,
      connect: { ...this.#way, checkServerIdentity: anyName, timeout: CONNECT_MS },
      // Members send no header before an operation ends; callers have time limits.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#pools.set(url, pool);
    return pool;
  }

  /** Opens a WebSocket; the caller waits for its events. */
  socket(url: string, path: string): WebSocket {
    const options: ClientOptions = {
      ...this.#way,
      // Its type is wrong: it is passed to Node.js.
      checkServerIdentity: anyName as unknown as () => boolean,
      handshakeTimeout: CONNECT_MS,
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE,
      skipUTF8Validation: true,
    };
    return new WebSocket(url.replace(/^http/, 'ws') + path, options);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
    this.#pools.clear();
  }
}

/**
 * All members show the same certificate, which has the name of one of them. It is pinned: nothing else
 * is trusted.
 */
const anyName = () => undefined;
