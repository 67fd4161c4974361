/** Bytes as they arrive. Leaving a loop over them, or `destroy`, ends the transfer. */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  destroy(error?: Error): unknown;
}

/** A request as a transport sends it. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  /** Path and query. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
  readonly signal: AbortSignal | null;
  /** Milliseconds until the answer starts; 0: unlimited. */
  readonly headersTimeout: number;
  /** Milliseconds between two chunks of the answer; 0: unlimited. */
  readonly bodyTimeout: number;
}

/** An answer whose body the caller reads or destroys. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: ByteSource;
}

/** HTTP requests to one origin over kept-alive connections. */
export interface Transport {
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Closes idle connections; may abort pending requests. */
  close(): Promise<void>;
}

/** Milliseconds to wait for a connection. */
export const CONNECT_MS = 10_000;

/** The connection was not established in time. */
export class ConnectTimeoutError extends Error {
  readonly code = 'ETIMEDOUT';
}

/** The service did not answer in time, or stopped answering. */
export class AnswerTimeoutError extends Error {
  readonly code = 'ANSWER_TIMEOUT';

  constructor() {
    super('no answer in time');
  }
}

/** The service's URL, and the headers of every request: user agent and key. */
export interface Endpoint {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly socketPath: string | undefined;
  /** Trusted certificate authorities, in PEM. */
  readonly ca: string | undefined;
  /** Milliseconds without an answer before the service is checked. */
  readonly checkAfterMs: number;
}
