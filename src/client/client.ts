import type { Duplex, Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import type { Answer, BodyInput, QueryInput } from '../contract/index.js';
import { type OperationName, routes } from '../contract/routes.js';
import type { CallOptions } from './calls/options.js';
import { retryCount, withRetries } from './calls/retries.js';
import { milliseconds, withTimeLimit } from './calls/time-limit.js';
import { ServiceUnreachableError } from './errors.js';
import { buildPath, type ComputerAddress } from './http/address.js';
import { answerDeadline, requestDeadline } from './http/deadline.js';
import type { Endpoint } from './http/endpoint.js';
import { codeOf, errorFromAnswer, errorFromFailure, headerOf } from './http/failures.js';
import { authorizationHeader, parseBaseUrl, queryString } from './http/request-parts.js';
import { CHECK_AFTER_MS, whileAnswering } from './http/silence.js';
import type { HttpRequest, HttpResponse, Transport } from './http/transport.js';
import type { ListenerUid } from './http/trusted-peer.js';
import type { ProcessRequest, RemoteProcess } from './process.js';
import { Transports } from './transports.js';

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
   * How often a request is repeated that was not carried out: after 429 and refused connections,
   * and a GET after 502 and 503. 2 by default, 10 at most.
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

export interface RequestOptions<N extends OperationName> extends CallOptions {
  /** Values of the path's parameters; which of an operation's paths is taken follows from them. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: QueryInput<N>;
  readonly body?: BodyInput<N>;
}

/** An upload that fits into the buffers of a connection. */
const SMALL_BYTES = 64 * 1024;

/** A request of bytes, see {@link Client.exchange}. */
interface Exchange extends CallOptions {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readable | Buffer;
}

/** A request as it is sent, see {@link Client.send}. */
interface PlainRequest extends Pick<HttpRequest, 'method' | 'path' | 'body'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Bytes of an answer, with their media type. */
export interface Bytes {
  readonly data: Buffer;
  readonly mediaType: string;
}

/** The contract's operations over HTTP: typed requests in, typed answers or errors out. */
export class Client {
  readonly baseUrl: string;
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #listenerUid: ListenerUid | undefined;
  readonly #timeoutMs: number | undefined;
  readonly #maxRetries: number;
  readonly #usesNodeHttp: boolean;
  readonly #checkAfterMs: number;
  readonly #transports: Transports;

  /** Throws TypeError for a base URL, key or number that is not possible. */
  constructor(options: ClientOptions) {
    this.baseUrl = options.baseUrl.replace(/\/+$/, '');
    this.#url = parseBaseUrl(this.baseUrl);
    this.#headers = {
      'user-agent': options.userAgent ?? 'virtual-computers',
      ...authorizationHeader(options.apiKey),
    };
    // Without a key there is nothing to protect.
    this.#listenerUid = options.apiKey === undefined ? 'any' : options.listenerUid;
    this.#timeoutMs = options.timeoutMs === undefined ? undefined : milliseconds(options.timeoutMs);
    this.#maxRetries = retryCount(options.maxRetries);
    this.#usesNodeHttp = options.connections === 'node-http';
    this.#checkAfterMs = options.checkAfterMs ?? CHECK_AFTER_MS;
    this.#transports = new Transports(this.#url.origin, this.#listenerUid);
  }

  /**
   * Runs an operation.
   * @throws ServiceError the service answered with an error
   * @throws ServiceUnreachableError nothing, or another program, answers at the base URL
   * @throws ServiceTimeoutError the service takes too long, or `timeoutMs` is over
   * @throws ServiceSilentError a program listens there and answers nothing
   * @throws UntrustedListenerError another user of this host listens there; nothing was sent
   */
  async request<N extends OperationName>(
    operation: N,
    options: RequestOptions<N> = {},
  ): Promise<Answer<N>> {
    return this.#limited(options, async (signal) => {
      const response = await this.#send(operation, options, 'application/json', signal);
      return (await this.json(response)) as Answer<N>;
    });
  }

  /** The JSON document of an answer. */
  async json({ body }: HttpResponse): Promise<unknown> {
    const content = await this.#read(text(body));
    try {
      return JSON.parse(content);
    } catch (cause) {
      const reason = 'the answer is not JSON; is the base URL right?';
      throw new ServiceUnreachableError(this.baseUrl, reason, { cause });
    }
  }

  /** Runs an operation and asks for its answer as bytes of one of the media types in `accept`. */
  async requestBytes<N extends OperationName>(
    operation: N,
    accept: string,
    options: RequestOptions<N> = {},
  ): Promise<Bytes> {
    return this.#limited(options, async (signal) => {
      const { headers, body } = await this.#send(operation, options, accept, signal);
      const mediaType = headerOf(headers, 'content-type') ?? 'application/octet-stream';
      return { data: await buffer(body), mediaType };
    });
  }

  /**
   * Runs an operation with a streamed answer, which the caller reads or destroys. `timeoutMs` is for
   * its beginning.
   */
  async requestStream<N extends OperationName>(
    operation: N,
    accept: string,
    options: RequestOptions<N> = {},
  ): Promise<Readable> {
    return withTimeLimit(options, this.baseUrl, async (signal) => {
      const { body } = await this.#send(operation, options, accept, signal);
      return body;
    });
  }

  /** Starts a process in a computer and connects its streams. */
  async process(address: ComputerAddress, request: ProcessRequest): Promise<RemoteProcess> {
    const { openProcess } = await import('./process.js');
    return openProcess(this.#endpoint, address, request);
  }

  /** Connects to a port on a computer's loopback. Aborting the signal also ends the connection. */
  async tunnel(address: ComputerAddress, port: number, options: CallOptions = {}): Promise<Duplex> {
    const { openTunnel } = await import('./tunnel.js');
    return withTimeLimit(options, this.baseUrl, (signal) =>
      openTunnel(this.#endpoint, address, port, signal),
    );
  }

  /** A request whose body, answer or both are bytes of any size; the caller reads the answer. */
  async exchange(request: Exchange): Promise<HttpResponse> {
    const transport = await (isLarge(request) ? this.#transports.pooled() : this.#transport());
    return withTimeLimit(request, this.baseUrl, (signal) =>
      this.#answered(transport, {
        method: request.method,
        path: `${this.#prefix}${request.path}${queryString(request.query)}`,
        headers: { ...this.#headers, ...request.headers },
        body: request.body ?? null,
        signal: signal ?? null,
        // The service aborts stalled transfers itself; this is for a service that hangs.
        headersTimeout: request.body === undefined ? 120_000 : 0,
        bodyTimeout: 120_000,
      }),
    );
  }

  /**
   * Sends a request to any path below the base URL and resolves to its answer, also to that of an
   * error; the caller reads or destroys it.
   */
  async send({ method, path, headers, body, signal }: PlainRequest): Promise<HttpResponse> {
    const timeout = requestDeadline(method, path, body);
    return this.#dispatch(await this.#transport(), {
      ...{ method, body, signal: signal ?? null },
      path: `${this.#prefix}${path}`,
      headers: { accept: 'application/json', ...headers, ...this.#headers },
      // The service aborts stalled uploads itself.
      headersTimeout: body === null || typeof body === 'string' ? timeout : 0,
      bodyTimeout: timeout,
    });
  }

  /** The answer, unless it is an error: then throws that. */
  async checked(answer: HttpResponse): Promise<HttpResponse> {
    const { statusCode: status, headers } = answer;
    if (status === 200) return answer;
    const body = await this.#read(text(answer.body));
    throw errorFromAnswer({ status, headers, body }, this.baseUrl);
  }

  /** Closes kept-alive connections. The client can be used again afterwards. */
  close(): Promise<void> {
    return this.#transports.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #limited<T>(
    { signal, timeoutMs = this.#timeoutMs }: CallOptions,
    work: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    return withTimeLimit({ signal, timeoutMs }, this.baseUrl, work);
  }

  async #send<N extends OperationName>(
    operation: N,
    options: RequestOptions<N>,
    accept: string,
    signal: AbortSignal | undefined,
  ): Promise<HttpResponse> {
    const { method, paths } = routes[operation];
    // withTimeLimit() keeps a time that the caller gave; this is for a service that hangs.
    const given = options.timeoutMs ?? this.#timeoutMs ?? 0;
    const timeout = Math.max(answerDeadline(operation, options.body), given);
    const headers: Record<string, string> = { accept, ...this.#headers };
    if (options.body !== undefined) headers['content-type'] = 'application/json';
    return this.#answered(await this.#transport(), {
      method,
      path: `${this.#prefix}${buildPath(paths, options.params ?? {})}${queryString(options.query)}`,
      headers,
      body: options.body === undefined ? null : JSON.stringify(options.body),
      signal: signal ?? null,
      headersTimeout: timeout,
      bodyTimeout: timeout,
    });
  }

  /** Path of the base URL. */
  get #prefix(): string {
    return this.#url.pathname.replace(/\/$/, '');
  }

  /** The connections for operations. */
  #transport(): Promise<Transport> {
    return this.#usesNodeHttp ? this.#transports.nodeHttp() : this.#transports.pooled();
  }

  get #endpoint(): Endpoint {
    return {
      ...{ url: this.#url, headers: this.#headers, listenerUid: this.#listenerUid },
      checkAfterMs: this.#checkAfterMs,
    };
  }

  /** Sends a request, again if that may help; throws an error answer. */
  #answered(transport: Transport, request: HttpRequest): Promise<HttpResponse> {
    const { method, body, signal } = request;
    const canRepeat = body === null || typeof body === 'string' || Buffer.isBuffer(body);
    const attempt = async () => this.checked(await this.#dispatch(transport, request));
    const maxRetries = canRepeat ? this.#maxRetries : 0;
    return withRetries(attempt, { method, maxRetries, signal: signal ?? undefined });
  }

  #dispatch(transport: Transport, request: HttpRequest): Promise<HttpResponse> {
    const { body, signal } = request;
    // An upload fills the connection, so a check beside it proves nothing.
    if (typeof body === 'object' && body !== null) {
      return this.#read(sendOnceMore(transport, request));
    }
    const watched = { url: this.#url, checkAfterMs: this.#checkAfterMs };
    return whileAnswering({ ...watched, signal: signal ?? undefined }, (either) =>
      this.#read(sendOnceMore(transport, { ...request, signal: either })),
    );
  }

  async #read<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (failure) {
      throw errorFromFailure(failure, this.baseUrl);
    }
  }
}

/** Sends a GET again once, because its kept-alive connection may just have been closed. */
async function sendOnceMore(transport: Transport, request: HttpRequest): Promise<HttpResponse> {
  try {
    return await transport.request(request);
  } catch (failure) {
    const stale = ['UND_ERR_SOCKET', 'ECONNRESET'].includes(codeOf(failure) ?? '');
    if (!stale || request.method !== 'GET') throw failure;
  }
  return transport.request(request);
}

/** Node's own HTTP client loses the answer of a service that refuses an upload before its end. */
function isLarge({ body, headers = {} }: Exchange): boolean {
  const length = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);
  return body !== undefined && length > SMALL_BYTES;
}
