import type { ListenerUid } from './http/trusted-peer.js';

export interface ClientOptions {
  /** For example `http://127.0.0.1:4700/api`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /**
   * On Linux, a key goes to a service on this host over plain HTTP only if root, the user of this
   * process or this uid listens there. `any` switches the check off.
   */
  readonly listenerUid?: ListenerUid;
  /** Sent as `User-Agent`. */
  readonly userAgent?: string;
  /** `timeoutMs` of every operation without one of its own; not of files and recordings. */
  readonly timeoutMs?: number;
  /**
   * How often a request is repeated: after 429 and refused connections, and a GET or the creation of
   * a project or computer after 502, 503 and lost connections. 2 by default, 10 at most.
   */
  readonly maxRetries?: number;
  /**
   * `undici`, the default: undici's pool, for many requests. `node-http`: operations go over Node's own
   * HTTP client, for a process that sends a few and ends.
   */
  readonly connections?: 'undici' | 'node-http';
  /**
   * After so many milliseconds without an answer, the client checks that the service answers at all,
   * and throws ServiceSilentError if the check is not answered in the same time. Default: 5000.
   */
  readonly checkAfterMs?: number;
}
