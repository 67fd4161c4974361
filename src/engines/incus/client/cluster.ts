import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { WebSocket } from 'ws';
import { withDeadline } from '../../../lib/async/deadline.js';
import { sleep } from '../../../lib/async/sleep.js';
import { type JsonTextBounds, textBeyond } from '../../../lib/json/bounds.js';
import { ClusterError, clusterErrorOf, toApiError, unanswered, unreachable } from '../errors.js';
import type { ClusterSettings } from '../settings.js';
import { Connections } from './connections.js';
import { openSocket } from './open-socket.js';

/** Time limits in milliseconds: for queries, and for changes. */
export const QUICK_MS = 10_000;
export const STEP_MS = 120_000;

/** How long a member waits for an operation before it answers that it still runs, in seconds. */
const WAIT_SECONDS = 20;
/** Before an operation that still runs is waited for again: members may answer at once. */
const WAIT_AGAIN_MS = 100;
/** Characters of an error that are read. */
const MOST_TEXT = 2_000;
/** Values of an answer, and characters of each on average: members send names with most of them. */
const MOST_VALUES = 2_000_000;
const LEAST_CHARACTERS = 10;
const FEW_VALUES = 10_000;
/** Most base URLs: clusters have up to 50 members. */
const MOST_URLS = 100;
/** Status codes of operations. */
const SUCCEEDED = 200;
const FAILED = 400;
/** What a wait for an operation that is not known any more was refused with. */
const FORGOTTEN = /operation not found|deadline exceeded/i;

export interface Query {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  /** A body that is not JSON. */
  readonly upload?: { readonly body: Readable; readonly headers: Record<string, string> };
  readonly ms?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Operation {
  readonly id: string;
  readonly status_code: number;
  readonly err?: string;
  readonly metadata?: Record<string, unknown> | null;
}

/** The way of the operator, who may do everything on every member. */
export interface OperatorSettings {
  readonly socketPath: string;
  readonly project: string;
}

interface Answer {
  readonly type: 'sync' | 'async' | 'error';
  readonly metadata: unknown;
  readonly error_code?: number;
  readonly error?: string;
}

/**
 * The REST API that LXD and Incus share, of one project. A request goes to the member that answered
 * last, and to the others if that cannot be connected to. Errors are {@link ApiError}s, with the
 * cluster's own as cause.
 */
export class Cluster {
  readonly #connections: Connections;
  readonly #project: string;
  #urls: readonly string[];

  constructor(settings: ClusterSettings | OperatorSettings) {
    this.#connections = new Connections(settings);
    this.#project = settings.project;
    this.#urls = 'urls' in settings ? settings.urls : ['http://localhost'];
  }

  get project(): string {
    return this.#project;
  }

  /** Base URLs, the one in use first. */
  get urls(): readonly string[] {
    return this.#urls;
  }

  /**
   * Remembers members, so that the cluster is reached while others are away. URLs without TLS are
   * ignored: anyone could answer there.
   */
  learn(urls: readonly string[]): void {
    const secure = urls.filter((url) => /^https:/i.test(url));
    this.#urls = [...new Set([...this.#urls, ...secure])].slice(0, MOST_URLS);
  }

  /** Sends a request; returns the answer's `metadata`. */
  async ask<T>(path: string, query: Query = {}): Promise<T> {
    return (await this.#send(path, query)).metadata as T;
  }

  /** Sends a request that starts an operation, and waits for its end. */
  async run(path: string, query: Query): Promise<void> {
    await this.finish(await this.begin(path, query), query);
  }

  /** Sends a request that starts an operation; returns its id, undefined if there is nothing to wait for. */
  async begin(path: string, query: Query): Promise<string | undefined> {
    const answer = await this.#send(path, query);
    return answer.type === 'sync' ? undefined : (answer.metadata as Operation).id;
  }

  /** Resolves when the operation has succeeded, or is not known any more. */
  async finish(id: string | undefined, { ms = STEP_MS, signal }: Query): Promise<void> {
    if (id === undefined) return;
    const onTimeout = () => unanswered(ms);
    await withDeadline({ ms, onTimeout, signal }, (inner) => this.#wait(id, inner));
  }

  /** Opens a WebSocket to a member, by default the one in use. */
  socket(
    path: string,
    { url, signal }: { url?: string | undefined; signal?: AbortSignal | undefined } = {},
  ) {
    const base = url ?? this.#urls[0] ?? '';
    return openSocket(
      this.#connections.socket(base, this.#inProject(path)),
      signal,
    ) as Promise<WebSocket>;
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  async #wait(id: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const operation = await this.#operation(id, signal);
      if (operation === undefined || operation.status_code === SUCCEEDED) return;
      if (operation.status_code >= FAILED) {
        throw toApiError(new ClusterError(FAILED, operation.err ?? 'the operation failed'));
      }
      await sleep(WAIT_AGAIN_MS, signal);
    }
  }

  /**
   * An operation at its end, or after {@link WAIT_SECONDS}; undefined if it is not known: operations are
   * forgotten seconds after their end.
   */
  async #operation(id: string, signal: AbortSignal): Promise<Operation | undefined> {
    const path = `/1.0/operations/${id}`;
    const ms = (WAIT_SECONDS + 10) * 1_000;
    try {
      return await this.ask<Operation>(`${path}/wait?timeout=${WAIT_SECONDS}`, { ms, signal });
    } catch (error) {
      const refused = clusterErrorOf(error);
      if (refused === undefined) throw error;
      // Incus before 6.0.5 answers with the error of the operation, or with that of a wait that is over.
      return await this.ask<Operation>(path, { signal }).catch((unknown) => {
        if (clusterErrorOf(unknown)?.status !== 404) throw unknown;
        if (!FORGOTTEN.test(refused.message)) throw error;
        return undefined;
      });
    }
  }

  async #send(path: string, query: Query): Promise<Answer> {
    const { ms = QUICK_MS, signal } = query;
    const onTimeout = () => unanswered(ms);
    try {
      return await withDeadline({ ms, onTimeout, signal }, (inner) =>
        this.#sendToAny(this.#inProject(path), query, inner),
      );
    } catch (error) {
      throw signal?.aborted ? signal.reason : toApiError(error);
    }
  }

  async #sendToAny(path: string, query: Query, signal: AbortSignal): Promise<Answer> {
    let failure: unknown;
    for (const url of this.#urls) {
      let response: Dispatcher.ResponseData;
      try {
        response = await this.#connections.pool(url).request(request(path, query, signal));
      } catch (error) {
        signal.throwIfAborted();
        failure = error;
        // Only a request that was not sent at all may be sent to another member.
        if (!wasNotSent(error) && query.method !== undefined) break;
        continue;
      }
      if (url !== this.#urls[0]) this.#prefer(url);
      return readAnswer(response);
    }
    throw unreachable(failure);
  }

  #prefer(url: string): void {
    this.#urls = [url, ...this.#urls.filter((other) => other !== url)];
  }

  #inProject(path: string): string {
    if (/[?&](project|all-projects)=/.test(path)) return path;
    return `${path}${path.includes('?') ? '&' : '?'}project=${encodeURIComponent(this.#project)}`;
  }
}

function request(
  path: string,
  query: Query,
  signal: AbortSignal,
): Dispatcher.RequestOptions & { method: Dispatcher.HttpMethod } {
  const { method = 'GET', body, upload } = query;
  if (upload !== undefined) return { path, method, signal, ...upload };
  if (body === undefined) return { path, method, signal };
  const headers = { 'content-type': 'application/json' };
  return { path, method, signal, headers, body: JSON.stringify(body) };
}

async function readAnswer({ statusCode, body }: Dispatcher.ResponseData): Promise<Answer> {
  const text = await body.text().catch((error) => {
    throw unreachable(error);
  });
  if (textBeyond(text, answerBounds(text)) !== undefined) {
    throw new ClusterError(statusCode, 'The answer has more values than any list of instances.');
  }
  let answer: Answer;
  try {
    answer = JSON.parse(text) as Answer;
  } catch {
    throw new ClusterError(statusCode, `HTTP ${statusCode}: ${text.slice(0, MOST_TEXT)}`);
  }
  if (answer.type !== 'error') return answer;
  const { error = 'unknown error', error_code = statusCode } = answer;
  throw new ClusterError(error_code, String(error).slice(0, MOST_TEXT));
}

function answerBounds({ length }: string): JsonTextBounds {
  const values = Math.min(MOST_VALUES, FEW_VALUES + length / LEAST_CHARACTERS);
  return { levels: 64, values, fields: 100_000, allFields: values };
}

function wasNotSent(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return /^(UND_ERR_CONNECT_TIMEOUT|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND)$/.test(code);
}
