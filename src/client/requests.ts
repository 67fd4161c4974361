import type { Readable } from 'node:stream';
import type { OperationName } from '../contract/routes.js';
import type { BodyInput, QueryInput } from '../contract/types/index.js';
import type { CallOptions } from './calls/options.js';
import type { HttpRequest } from './http/transport.js';

export interface RequestOptions<N extends OperationName> extends CallOptions {
  /** Values of the path's parameters; which of an operation's paths is taken follows from them. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: QueryInput<N>;
  readonly body?: BodyInput<N>;
  /**
   * Makes a creation happen once, however often it is sent with the same key within 24 hours. By
   * default a random one if the client may repeat the request.
   */
  readonly idempotencyKey?: string | undefined;
}

/** A request of bytes, see `Client.exchange`. */
export interface Exchange extends CallOptions {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readable | Buffer;
  /** Milliseconds between two pieces of the answer; two minutes by default. */
  readonly silentMs?: number;
}

/** A request as it is sent, see `Client.send`. */
export interface PlainRequest extends Pick<HttpRequest, 'method' | 'path' | 'body'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Bytes of an answer, with their media type. */
export interface Bytes {
  readonly data: Buffer;
  readonly mediaType: string;
}
