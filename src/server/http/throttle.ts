import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import { onAbort } from '../../lib/async/abort.js';
import { hasBody } from './bodies.js';
import { BODY_LIMIT } from './body-limit.js';

/** Concurrent requests of one owner. */
const MOST_AT_ONCE = 256;
/** Bytes of bodies that one owner's requests may bring into memory at the same time. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Queued requests of one owner, and for how many milliseconds they may wait. */
const MOST_WAITING = 1024;
const WAIT_MS = 10_000;
/** Size that is assumed for a body of unknown length. */
const UNTOLD_BYTES = 1024 * 1024;

export interface Limits {
  readonly atOnce: number;
  readonly bytes: number;
  readonly waiting: number;
  readonly waitMs: number;
}

const LIMITS: Limits = {
  ...{ atOnce: MOST_AT_ONCE, bytes: MOST_BYTES, waiting: MOST_WAITING, waitMs: WAIT_MS },
};

/**
 * Limits each owner's concurrent requests and their bodies' memory. Further requests are queued
 * before their body is read, and refused with `rate_limited` after a time. WebSockets and requests
 * without a key are not counted.
 */
export function throttleRequests(app: FastifyInstance, limits: Limits = LIMITS): void {
  const lanes = new Map<string, Lane>();
  app.addHook('onRequest', async (request, reply) => {
    const { owner } = request;
    if (owner === null || request.ws) return;
    const lane = lanes.get(owner.id) ?? new Lane(limits);
    lanes.set(owner.id, lane);
    const bytes = request.routeOptions.config.transfers ? 0 : bytesOf(request.raw);
    const left = new AbortController();
    reply.raw.once('close', () => left.abort(new ApiError('request_timeout', 'The client left.')));
    const leave = await lane.enter(bytes, left.signal).catch((error: unknown) => {
      reply.header('retry-after', '1');
      // The body that was not read must not be taken for the next request.
      if (hasBody(request.raw)) reply.header('connection', 'close');
      throw error;
    });
    const release = () => {
      leave();
      if (lane.idle) lanes.delete(owner.id);
    };
    request.throttleReleased = release;
    reply.raw.once('close', release);
    if (reply.raw.closed) release();
  });
  app.decorateRequest('throttleReleased', null);
  app.addHook('onResponse', async (request) => request.throttleReleased?.());
}

interface Waiting {
  readonly bytes: number;
  begin(): void;
}

/** One owner's running and queued requests. */
export class Lane {
  readonly #limits: Limits;
  readonly #waiting = new Set<Waiting>();
  #count = 0;
  #bytes = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get idle(): boolean {
    return this.#count === 0 && this.#waiting.size === 0;
  }

  /** Resolves with a release function when there is room. Rejects with `rate_limited`. */
  enter(bytes: number, signal: AbortSignal): Promise<() => void> {
    if (this.#waiting.size >= this.#limits.waiting) return Promise.reject(refusal());
    return new Promise((resolve, reject) => {
      let dispose = () => {};
      const end = () => {
        clearTimeout(timer);
        dispose();
        this.#waiting.delete(turn);
      };
      const turn: Waiting = {
        bytes,
        begin: () => {
          end();
          this.#count += 1;
          this.#bytes += bytes;
          resolve(this.#leaving(bytes));
        },
      };
      const giveUp = (error: unknown) => {
        end();
        reject(error);
        this.#next();
      };
      const timer = setTimeout(() => giveUp(refusal()), this.#limits.waitMs);
      this.#waiting.add(turn);
      dispose = onAbort(signal, giveUp);
      if (!signal.aborted) this.#next();
    });
  }

  #leaving(bytes: number): () => void {
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#count -= 1;
      this.#bytes -= bytes;
      this.#next();
    };
  }

  #next(): void {
    for (const turn of this.#waiting) {
      const { atOnce, bytes } = this.#limits;
      if (this.#count >= atOnce || this.#bytes + turn.bytes > bytes) return;
      turn.begin();
    }
  }
}

function refusal(): ApiError {
  return new ApiError('rate_limited', 'Too many of your requests are being processed.', {
    remedy: 'Try again when some of them have ended.',
  });
}

function bytesOf(request: IncomingMessage): number {
  if (!hasBody(request)) return 0;
  const length = Number(request.headers['content-length'] ?? UNTOLD_BYTES);
  // One that is too large is refused without being read.
  return length > BODY_LIMIT ? 0 : length;
}

declare module 'fastify' {
  interface FastifyRequest {
    throttleReleased: (() => void) | null;
  }
}
