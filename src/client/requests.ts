import type { BodyInput, OperationName, PathParams, QueryInput } from '../contract/types/index.js';
import type { CallOptions } from './calls/time-limit.js';
import type { HttpRequest } from './http/transport.js';

/** A field that must be given if the operation cannot do without it. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? { readonly [K in Name]?: undefined }
  : Partial<T> extends T
    ? { readonly [K in Name]?: T | undefined }
    : { readonly [K in Name]: T };

/** What an operation takes: path parameters, of which its path follows, query and body. */
export type RequestOptions<N extends OperationName> = CallSettings &
  Part<'params', PathParams<N>> &
  Part<'query', QueryInput<N>> &
  Part<'body', BodyInput<N>>;

/** The options as an argument, which may be left out if nothing is required. */
export type RequestArguments<N extends OperationName> =
  Record<never, never> extends RequestOptions<N>
    ? [options?: RequestOptions<N>]
    : [options: RequestOptions<N>];

/** The options of any operation. */
export interface AnyRequest extends CallSettings {
  readonly params?: object | undefined;
  readonly query?: unknown;
  readonly body?: unknown;
}

interface CallSettings extends CallOptions {
  /**
   * Makes a creation happen once, however often it is sent with the same key within 24 hours in which
   * the service runs. By default a random one if the client may repeat the request.
   */
  readonly idempotencyKey?: string | undefined;
  /** The `etag` of an earlier answer: then {@link Bytes} are undefined if nothing has changed. */
  readonly ifNoneMatch?: string | undefined;
}

/** An earlier answer, to get the next one only if it is different. */
export interface IfNoneMatch {
  /** The `etag` of an earlier result; null the first time. */
  readonly ifNoneMatch: string | null;
}

/** Bytes, unless they are those of the `etag` that was given. */
export type IfChanged =
  | {
      readonly changed: true;
      readonly data: Uint8Array<ArrayBuffer>;
      /** For the next request; null for content that cannot be compared. */
      readonly etag: string | null;
    }
  | { readonly changed: false; readonly etag: string };

/** A request of bytes, see `Client.exchange`. */
export interface Exchange extends CallOptions {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
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
  readonly etag: string | undefined;
  /** True if the answer is that of `ifNoneMatch`, and `data` is empty. */
  readonly isUnchanged: boolean;
  readonly data: Uint8Array<ArrayBuffer>;
  readonly mediaType: string;
}

/** The result of a request with `ifNoneMatch`. */
export function ifChanged(
  {
    data,
    etag = null,
    isUnchanged,
  }: Pick<Bytes, 'data' | 'isUnchanged'> & { etag?: string | null | undefined },
  asked: string | null,
): IfChanged {
  return isUnchanged
    ? { changed: false, etag: etag ?? asked ?? '' }
    : { changed: true, data, etag };
}
