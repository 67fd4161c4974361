export interface ClientOptions {
  /** For example `http://127.0.0.1:4700/api`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Path of a unix socket that the service listens on, in place of the address of `baseUrl` (Node.js). */
  readonly socketPath?: string | undefined;
  /** Certificate authorities to trust in place of the usual ones, in PEM (Node.js). */
  readonly ca?: string | undefined;
  /** Sent as `User-Agent`. */
  readonly userAgent?: string | undefined;
  /** `timeoutMs` of every operation without one of its own; not of files and recordings. */
  readonly timeoutMs?: number | undefined;
  /**
   * How often a request is repeated: after 429 and refused connections, and a GET or the creation of
   * a project or computer after 502, 503 and lost connections. 2 by default, 10 at most.
   */
  readonly maxRetries?: number | undefined;
  /**
   * After so many milliseconds without an answer, the client checks that the service answers at all,
   * and throws ServiceSilentError if the check is not answered in the same time. Default: 5000.
   */
  readonly checkAfterMs?: number | undefined;
}
