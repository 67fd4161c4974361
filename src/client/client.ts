import { routes } from '../contract/routes.js';
import type { Answer, OperationName } from '../contract/types/index.js';
import { Dispatcher } from './calls/dispatcher.js';
import { retryCount } from './calls/retries.js';
import { type CallOptions, milliseconds, withTimeLimit } from './calls/time-limit.js';
import { ServiceUnreachableError } from './errors.js';
import { buildPath } from './http/address.js';
import { answerDeadline, requestDeadline } from './http/deadline.js';
import { checkBaseUrl, headerOf } from './http/failures.js';
import { bounded, readBytes, readText } from './http/read-body.js';
import { authorizationHeader, parseBaseUrl, queryString, randomKey } from './http/request-parts.js';
import { CHECK_AFTER_MS, whileAnswering } from './http/silence.js';
import type { ByteSource, Endpoint, HttpResponse, Transport } from './http/transport.js';
import type { ClientOptions } from './options.js';
import { openSocket, openTransport, sendsUserAgent } from './platform/index.js';
import type { AnyRequest, Bytes, Exchange, PlainRequest, RequestArguments } from './requests.js';
import type { MessageSocket } from './sockets/message-socket.js';

/** The contract's operations over HTTP: typed requests in, typed answers or errors out. */
export class Client {
  readonly baseUrl: string;
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number | undefined;
  readonly #socketPath: string | undefined;
  readonly #ca: string | undefined;
  readonly #checkAfterMs: number;
  readonly #maxRetries: number;
  #opened: Promise<Transport> | undefined;
  readonly #dispatcher: Dispatcher;

  readonly #openTransport: typeof openTransport;

  /**
   * Sends requests over connections of `open`.
   * Throws TypeError for a base URL, key or number that is not possible.
   */
  constructor(options: ClientOptions, open: typeof openTransport = openTransport) {
    this.#openTransport = open;
    this.baseUrl = options.baseUrl.replace(/\/+$/, '');
    this.#url = parseBaseUrl(this.baseUrl);
    this.#headers = {
      ...(sendsUserAgent && { 'user-agent': options.userAgent ?? 'virtual-computers' }),
      ...authorizationHeader(options.apiKey),
    };
    this.#timeoutMs = options.timeoutMs === undefined ? undefined : milliseconds(options.timeoutMs);
    this.#socketPath = options.socketPath;
    this.#ca = options.ca;
    this.#checkAfterMs = options.checkAfterMs ?? CHECK_AFTER_MS;
    this.#maxRetries = retryCount(options.maxRetries);
    this.#dispatcher = new Dispatcher({
      baseUrl: this.baseUrl,
      url: this.#url,
      checkAfterMs: this.#checkAfterMs,
      maxRetries: this.#maxRetries,
    });
  }

  /**
   * Runs an operation.
   * @throws ServiceError the service answered with an error
   * @throws ServiceUnreachableError nothing, or another program, answers at the base URL
   * @throws ServiceTimeoutError the service takes too long, or `timeoutMs` is over
   * @throws ServiceSilentError a program listens there and answers nothing
   */
  async request<N extends OperationName>(
    operation: N,
    ...[options]: RequestArguments<N>
  ): Promise<Answer<N>> {
    return this.requestAny(operation, options);
  }

  /** The same for code that runs several operations: whether the options are complete is not checked. */
  async requestAny<N extends OperationName>(
    operation: N,
    options: AnyRequest = {},
  ): Promise<Answer<N>> {
    return this.#limited(options, async (signal) => {
      const response = await this.#send(operation, options, 'application/json', signal);
      return (await this.json(response)) as Answer<N>;
    });
  }

  /** The JSON document of an answer. */
  async json({ body }: HttpResponse): Promise<unknown> {
    const content = await this.#dispatcher.read(readText(this.#bounded(body)));
    try {
      return JSON.parse(content);
    } catch (cause) {
      const reason = 'the answer is not JSON';
      const remedy = checkBaseUrl(this.baseUrl);
      throw new ServiceUnreachableError(this.baseUrl, reason, { cause, remedy });
    }
  }

  /** Runs an operation and asks for its answer as bytes of one of the media types in `accept`. */
  async requestBytes<N extends OperationName>(
    operation: N,
    accept: string,
    ...[given]: RequestArguments<N>
  ): Promise<Bytes> {
    const options: AnyRequest = given ?? {};
    return this.#limited(options, async (signal) => {
      const { statusCode, headers, body } = await this.#send(operation, options, accept, signal);
      const mediaType = headerOf(headers, 'content-type') ?? 'application/octet-stream';
      const etag = headerOf(headers, 'etag');
      const isUnchanged = statusCode === 304;
      return { data: await readBytes(this.#bounded(body)), mediaType, etag, isUnchanged };
    });
  }

  /**
   * Runs an operation with a streamed answer, which the caller reads or destroys. `timeoutMs` is for
   * its beginning.
   */
  async requestStream<N extends OperationName>(
    operation: N,
    accept: string,
    ...[given]: RequestArguments<N>
  ): Promise<ByteSource> {
    const options: AnyRequest = given ?? {};
    return withTimeLimit(options, this.baseUrl, async (signal) => {
      const { body } = await this.#send(operation, options, accept, signal);
      return body;
    });
  }

  /**
   * Opens a WebSocket at `path` (with its query) below the base URL and resolves to what `use` makes
   * of it. Aborting the signal also ends the connection; `timeoutMs` is for both.
   */
  async socket<T>(
    path: string,
    options: CallOptions,
    use: (socket: MessageSocket, signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    return withTimeLimit(options, this.baseUrl, async (signal) => {
      const endpoint = this.#endpoint;
      const open = (either: AbortSignal) => openSocket(endpoint, path, either);
      return use(await whileAnswering({ ...endpoint, signal }, open), signal);
    });
  }

  /** A request whose body, answer or both are bytes of any size; the caller reads the answer. */
  async exchange(request: Exchange): Promise<HttpResponse> {
    const transport = await this.#transport();
    return withTimeLimit(request, this.baseUrl, (signal) =>
      this.#dispatcher.answered(transport, {
        method: request.method,
        path: `${this.#prefix}${request.path}${queryString(request.query)}`,
        headers: { ...this.#headers, ...request.headers },
        body: request.body ?? null,
        signal: signal ?? null,
        // The service aborts stalled transfers itself; this is for a service that hangs.
        headersTimeout: request.body === undefined ? 120_000 : 0,
        bodyTimeout: request.silentMs ?? 120_000,
      }),
    );
  }

  /**
   * Sends a request to any path below the base URL and resolves to its answer, also to that of an
   * error; the caller reads or destroys it.
   */
  async send({ method, path, headers, body, signal }: PlainRequest): Promise<HttpResponse> {
    const timeout = requestDeadline(method, path, body);
    return this.#dispatcher.dispatch(await this.#transport(), {
      method,
      body,
      signal: signal ?? null,
      path: `${this.#prefix}${path}`,
      headers: { accept: 'application/json', ...headers, ...this.#headers },
      // The service aborts stalled uploads itself.
      headersTimeout: body === null || typeof body === 'string' ? timeout : 0,
      bodyTimeout: timeout,
    });
  }

  /** The answer, unless it is an error: then throws that. */
  checked(answer: HttpResponse): Promise<HttpResponse> {
    return this.#dispatcher.checked(answer);
  }

  /** Closes kept-alive connections. The client can be used again afterwards. */
  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await (await opened)?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #bounded(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    const remedy = checkBaseUrl(this.baseUrl);
    return bounded(body, (reason) => new ServiceUnreachableError(this.baseUrl, reason, { remedy }));
  }

  #limited<T>(
    { signal, timeoutMs = this.#timeoutMs }: CallOptions,
    work: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    return withTimeLimit({ signal, timeoutMs }, this.baseUrl, work);
  }

  async #send(
    operation: OperationName,
    options: AnyRequest,
    accept: string,
    signal: AbortSignal | undefined,
  ): Promise<HttpResponse> {
    const { method, paths, idempotent = false } = routes[operation];
    // withTimeLimit() keeps a time that the caller gave; this is for a service that hangs.
    const given = options.timeoutMs ?? this.#timeoutMs ?? 0;
    const timeout = Math.max(answerDeadline(operation, options.body), given);
    const headers: Record<string, string> = { accept, ...this.#headers };
    if (options.body !== undefined) headers['content-type'] = 'application/json';
    if (options.ifNoneMatch !== undefined) headers['if-none-match'] = options.ifNoneMatch;
    const key = options.idempotencyKey ?? (idempotent && this.#maxRetries > 0 && randomKey());
    if (typeof key === 'string') headers['idempotency-key'] = key;
    return this.#dispatcher.answered(await this.#transport(), {
      method,
      path: `${this.#prefix}${buildPath(paths, (options.params ?? {}) as Record<string, string>)}${queryString(options.query)}`,
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
    this.#opened ??= this.#openTransport(this.#url.origin, this.#socketPath, this.#ca);
    return this.#opened;
  }

  get #endpoint(): Endpoint {
    return {
      url: this.#url,
      headers: this.#headers,
      socketPath: this.#socketPath,
      ca: this.#ca,
      checkAfterMs: this.#checkAfterMs,
    };
  }
}
