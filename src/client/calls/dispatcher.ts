import { ServiceUnreachableError } from '../errors.js';
import {
  checkBaseUrl,
  codeOf,
  errorFromAnswer,
  errorFromFailure,
  isOfService,
  readErrorText,
} from '../http/failures.js';
import { whileAnswering } from '../http/silence.js';
import type { HttpRequest, HttpResponse, Transport } from '../http/transport.js';
import { withRetries } from './retries.js';

interface DispatcherOptions {
  readonly baseUrl: string;
  readonly url: URL;
  readonly maxRetries: number;
  readonly checkAfterMs: number;
}

/** Sends requests; throws the client's own errors. */
export class Dispatcher {
  readonly #baseUrl: string;
  readonly #url: URL;
  readonly #maxRetries: number;
  readonly #checkAfterMs: number;

  constructor({ baseUrl, url, maxRetries, checkAfterMs }: DispatcherOptions) {
    this.#baseUrl = baseUrl;
    this.#url = url;
    this.#maxRetries = maxRetries;
    this.#checkAfterMs = checkAfterMs;
  }

  /** Sends a request, again if that may help; throws an error answer. */
  answered(transport: Transport, request: HttpRequest): Promise<HttpResponse> {
    const { method, body, signal, headers } = request;
    const isIdempotent = method === 'GET' || headers['idempotency-key'] !== undefined;
    const canRepeat = body === null || typeof body === 'string' || body instanceof Uint8Array;
    const attempt = async () => this.checked(await this.dispatch(transport, request));
    const maxRetries = canRepeat ? this.#maxRetries : 0;
    return withRetries(attempt, { isIdempotent, maxRetries, signal: signal ?? undefined });
  }

  /** Sends a request and resolves to its answer, also to that of an error. */
  dispatch(transport: Transport, request: HttpRequest): Promise<HttpResponse> {
    const { body, signal } = request;
    // An upload fills the connection, so a check beside it proves nothing.
    if (typeof body === 'object' && body !== null) {
      return this.read(sendOnceMore(transport, request));
    }
    const watched = { url: this.#url, checkAfterMs: this.#checkAfterMs };
    return whileAnswering({ ...watched, signal: signal ?? undefined }, (either) =>
      this.read(sendOnceMore(transport, { ...request, signal: either })),
    );
  }

  /** Awaits an answer or its body. */
  async read<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (failure) {
      throw errorFromFailure(failure, this.#baseUrl);
    }
  }

  /** The answer, unless it is an error: then throws that. */
  async checked(answer: HttpResponse): Promise<HttpResponse> {
    const { statusCode: status, headers } = answer;
    // 304 only comes if an `etag` was sent.
    if ([200, 206, 304].includes(status)) {
      if (isOfService(headers)) return answer;
      answer.body.destroy();
      const remedy = checkBaseUrl(this.#baseUrl);
      const options = { status, headers, remedy };
      throw new ServiceUnreachableError(this.#baseUrl, 'another program answers there', options);
    }
    const body = await this.read(readErrorText(answer.body));
    throw errorFromAnswer({ status, headers, body }, this.#baseUrl);
  }
}

/** Sends a GET again once, because its kept-alive connection may just have been closed. */
async function sendOnceMore(transport: Transport, request: HttpRequest): Promise<HttpResponse> {
  try {
    return await transport.request(request);
  } catch (failure) {
    const stale = codeOf(failure) === 'ECONNRESET';
    if (!stale || request.method !== 'GET') throw failure;
  }
  return transport.request(request);
}
