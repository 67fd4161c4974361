import type { Duplex, Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { REMEDY_HEADER } from '../contract/errors.js';
import type { Answer, BodyInput, QueryInput } from '../contract/index.js';
import { type OperationName, routes } from '../contract/routes.js';
import { codeOf, errorFromAnswer, errorFromFailure, ServiceUnreachableError } from './errors.js';
import { buildPath, type ComputerAddress } from './http/address.js';
import { answerDeadline, requestDeadline } from './http/deadline.js';
import type { Endpoint } from './http/endpoint.js';
import { authorizationHeader, parseBaseUrl, queryString } from './http/request-parts.js';
import { CHECK_AFTER_MS, whileAnswering } from './http/silence.js';
import type { HttpRequest, HttpResponse, Transport } from './http/transport.js';
import type { ListenerUid } from './http/trusted-peer.js';
import type { ProcessRequest, RemoteProcess } from './process.js';

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

export interface RequestOptions<N extends OperationName> {
  /** Values of the path's parameters; which of an operation's paths is taken follows from them. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: QueryInput<N>;
  readonly body?: BodyInput<N>;
  readonly signal?: AbortSignal;
  /** Milliseconds to wait for the answer; by default what the request needs and a margin. */
  readonly timeoutMs?: number;
}

/** An upload that fits into the buffers of a connection. */
const SMALL_BYTES = 64 * 1024;

/** A request of bytes, see {@link Client.exchange}. */
interface Exchange {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readable | Buffer;
  readonly signal?: AbortSignal;
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
  readonly #usesNodeHttp: boolean;
  readonly #checkAfterMs: number;
  #nodeHttp: Promise<Transport> | undefined;
  #pool: Promise<Transport> | undefined;

  /** Throws TypeError for a base URL or key that cannot be sent. */
  constructor(options: ClientOptions) {
    this.baseUrl = options.baseUrl.replace(/\/+$/, '');
    this.#url = parseBaseUrl(this.baseUrl);
    this.#headers = {
      'user-agent': options.userAgent ?? 'virtual-computers',
      ...authorizationHeader(options.apiKey),
    };
    // Without a key there is nothing to protect.
    this.#listenerUid = options.apiKey === undefined ? 'any' : options.listenerUid;
    this.#usesNodeHttp = options.connections === 'node-http';
    this.#checkAfterMs = options.checkAfterMs ?? CHECK_AFTER_MS;
  }

  /**
   * Runs an operation.
   * @throws ServiceError the service answered with an error
   * @throws ServiceUnreachableError nothing, or another program, answers at the base URL
   * @throws ServiceTimeoutError the service takes too long
   * @throws ServiceSilentError a program listens there and answers nothing
   * @throws UntrustedListenerError another user of this host listens there; nothing was sent
   */
  async request<N extends OperationName>(
    operation: N,
    options: RequestOptions<N> = {},
  ): Promise<Answer<N>> {
    return (await this.json(await this.#send(operation, options, 'application/json'))) as Answer<N>;
  }

  /** The JSON document of an answer. */
  async json(answer: HttpResponse): Promise<unknown> {
    const body = await this.#read(text(answer.body));
    try {
      return JSON.parse(body);
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
    const response = await this.#send(operation, options, accept);
    const data = await this.#read(buffer(response.body));
    return { data, mediaType: headerOf(response, 'content-type') ?? 'application/octet-stream' };
  }

  /** Runs an operation with a streamed answer, which the caller reads or destroys. */
  async requestStream<N extends OperationName>(
    operation: N,
    accept: string,
    options: RequestOptions<N> = {},
  ): Promise<Readable> {
    const { body } = await this.#send(operation, options, accept);
    return body;
  }

  /** Starts a process in a computer and connects its streams. */
  async process(address: ComputerAddress, request: ProcessRequest): Promise<RemoteProcess> {
    const { openProcess } = await import('./process.js');
    return openProcess(this.#endpoint, address, request);
  }

  /** Connects to a port on a computer's loopback. */
  async tunnel(address: ComputerAddress, port: number, signal?: AbortSignal): Promise<Duplex> {
    const { openTunnel } = await import('./tunnel.js');
    return openTunnel(this.#endpoint, address, port, signal);
  }

  /** A request whose body, answer or both are bytes of any size; the caller reads the answer. */
  async exchange(request: Exchange): Promise<HttpResponse> {
    const transport = isLarge(request) ? this.#pooled() : this.#transport();
    return this.#answered(await transport, {
      method: request.method,
      path: `${this.#url.pathname.replace(/\/$/, '')}${request.path}${queryString(request.query)}`,
      headers: { ...this.#headers, ...request.headers },
      body: request.body ?? null,
      signal: request.signal ?? null,
      // The service aborts stalled transfers itself; this is for a service that hangs.
      headersTimeout: request.body === undefined ? 120_000 : 0,
      bodyTimeout: 120_000,
    });
  }

  /**
   * Sends a request to any path below the base URL and resolves to its answer, also to that of an
   * error; the caller reads or destroys it.
   */
  async send({ method, path, headers, body, signal }: PlainRequest): Promise<HttpResponse> {
    const timeout = requestDeadline(method, path, body);
    return this.#dispatch(await this.#transport(), {
      ...{ method, body, signal: signal ?? null },
      path: `${this.#url.pathname.replace(/\/$/, '')}${path}`,
      headers: { accept: 'application/json', ...headers, ...this.#headers },
      // The service aborts stalled uploads itself.
      headersTimeout: body === null || typeof body === 'string' ? timeout : 0,
      bodyTimeout: timeout,
    });
  }

  /** The answer, unless it is an error: then throws that. */
  async checked(answer: HttpResponse): Promise<HttpResponse> {
    if (answer.statusCode === 200) return answer;
    throw errorFromAnswer(
      {
        status: answer.statusCode,
        code: headerOf(answer, 'x-error-code'),
        requestId: headerOf(answer, 'x-request-id'),
        remedy: headerOf(answer, REMEDY_HEADER),
        body: await this.#read(text(answer.body)),
      },
      this.baseUrl,
    );
  }

  /** Closes kept-alive connections. The client can be used again afterwards. */
  async close(): Promise<void> {
    const open = [this.#nodeHttp, this.#pool];
    this.#nodeHttp = undefined;
    this.#pool = undefined;
    await Promise.all(open.map(async (transport) => (await transport)?.close()));
  }

  async #send<N extends OperationName>(
    operation: N,
    options: RequestOptions<N>,
    accept: string,
  ): Promise<HttpResponse> {
    const { method, paths } = routes[operation];
    const timeout = options.timeoutMs ?? answerDeadline(operation, options.body);
    const headers: Record<string, string> = { accept, ...this.#headers };
    if (options.body !== undefined) headers['content-type'] = 'application/json';
    return this.#answered(await this.#transport(), {
      method,
      path: `${this.#url.pathname.replace(/\/$/, '')}${buildPath(paths, options.params ?? {})}${queryString(options.query)}`,
      headers,
      body: options.body === undefined ? null : JSON.stringify(options.body),
      signal: options.signal ?? null,
      headersTimeout: timeout,
      bodyTimeout: timeout,
    });
  }

  #transport(): Promise<Transport> {
    return this.#usesNodeHttp ? this.#openNodeHttp() : this.#pooled();
  }

  #openNodeHttp(): Promise<Transport> {
    this.#nodeHttp ??= import('./http/node-http.js').then(({ openNodeHttp }) =>
      openNodeHttp(this.#url.origin, this.#listenerUid),
    );
    return this.#nodeHttp;
  }

  #pooled(): Promise<Transport> {
    this.#pool ??= import('./http/pool.js').then(({ openPool }) =>
      openPool(this.#url.origin, this.#listenerUid),
    );
    return this.#pool;
  }

  get #endpoint(): Endpoint {
    return {
      ...{ url: this.#url, headers: this.#headers, listenerUid: this.#listenerUid },
      checkAfterMs: this.#checkAfterMs,
    };
  }

  /** Sends a request; throws an error answer. */
  async #answered(transport: Transport, options: HttpRequest): Promise<HttpResponse> {
    return this.checked(await this.#dispatch(transport, options));
  }

  #dispatch(transport: Transport, options: HttpRequest): Promise<HttpResponse> {
    const { body, signal } = options;
    // An upload fills the connection, so a check beside it proves nothing.
    if (typeof body === 'object' && body !== null) return this.#attempt(transport, options);
    const watched = { url: this.#url, checkAfterMs: this.#checkAfterMs };
    return whileAnswering({ ...watched, signal: signal ?? undefined }, (either) =>
      this.#attempt(transport, { ...options, signal: either }),
    );
  }

  /** Retries a GET once, because its kept-alive connection may just have been closed. */
  async #attempt(transport: Transport, options: HttpRequest): Promise<HttpResponse> {
    try {
      return await transport.request(options);
    } catch (failure) {
      const stale = ['UND_ERR_SOCKET', 'ECONNRESET'].includes(codeOf(failure) ?? '');
      if (!stale || options.method !== 'GET') throw errorFromFailure(failure, this.baseUrl);
    }
    return this.#read(transport.request(options));
  }

  async #read<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (failure) {
      throw errorFromFailure(failure, this.baseUrl);
    }
  }
}

function headerOf(response: HttpResponse, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Node's own HTTP client loses the answer of a service that refuses an upload before its end. */
function isLarge({ body, headers = {} }: Exchange): boolean {
  const length = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);
  return body !== undefined && length > SMALL_BYTES;
}
