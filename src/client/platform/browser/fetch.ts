import {
  AnswerTimeoutError,
  type ByteSource,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from '../../http/transport.js';

/** The browser does not say why there is no answer. */
class FetchError extends Error {
  readonly code = 'FETCH_FAILED';
}

/** A transport to `origin` over the browser's `fetch`. */
export function openFetch(origin: string): Transport {
  return {
    request: (request) => send(origin, request),
    close: async () => undefined,
  };
}

/** What only browsers know, so that the types of Node.js lack it. A redirect could take the key elsewhere. */
const IN_PAGES = {
  cache: 'no-store',
  credentials: 'omit',
  redirect: 'error',
  referrerPolicy: 'no-referrer',
} as const;

async function send(origin: string, request: HttpRequest): Promise<HttpResponse> {
  const { method, path, headers, signal, headersTimeout, bodyTimeout } = request;
  // A browser takes `%2E%2E` for a directory, so the request would go to another resource.
  if (new URL(`${origin}${path}`).pathname !== path.split('?')[0]) {
    throw new TypeError(`${path} is no path for a browser: use the id of the computer`);
  }
  const ended = new AbortController();
  const either = signal === null ? ended.signal : AbortSignal.any([signal, ended.signal]);
  const body = await wholeBody(request.body);
  const timer =
    headersTimeout === 0
      ? undefined
      : setTimeout(() => ended.abort(new AnswerTimeoutError()), headersTimeout);
  try {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers,
      body,
      signal: either,
      ...IN_PAGES,
    });
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: new FetchBody(response.body, either, ended, bodyTimeout),
    };
  } catch (failure) {
    throw converted(failure, either);
  } finally {
    clearTimeout(timer);
  }
}

/** A stream is read first: over HTTP/1.1 browsers do not send one. They keep a large Blob on disk. */
async function wholeBody(
  body: HttpRequest['body'],
): Promise<string | Uint8Array<ArrayBuffer> | Blob | null> {
  if (body === null || typeof body === 'string') return body;
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of body) chunks.push(chunk as Uint8Array<ArrayBuffer>);
  return new Blob(chunks);
}

class FetchBody implements ByteSource {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #signal: AbortSignal;
  readonly #ended: AbortController;
  readonly #silentMs: number;

  constructor(
    body: ReadableStream<Uint8Array> | null,
    signal: AbortSignal,
    ended: AbortController,
    silentMs: number,
  ) {
    this.#reader = body?.getReader();
    this.#signal = signal;
    this.#ended = ended;
    this.#silentMs = silentMs;
  }

  destroy(): void {
    void this.#reader?.cancel().catch(() => undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const { done, value } = (await this.#read()) ?? { done: true };
        if (done || value === undefined) return;
        yield value;
      }
    } finally {
      this.destroy();
    }
  }

  async #read() {
    const late = () => this.#ended.abort(new AnswerTimeoutError());
    const timer = this.#silentMs === 0 ? undefined : setTimeout(late, this.#silentMs);
    try {
      return await this.#reader?.read();
    } catch (failure) {
      throw converted(failure, this.#signal);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The reason of an abort, or else an error with a code. */
function converted(failure: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  return failure instanceof TypeError
    ? new FetchError(failure.message, { cause: failure })
    : failure;
}
