import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../contract/errors.js';
import { hasBody } from './bodies.js';
import { BODY_LIMIT } from './limits.js';

/** Requests of one owner that are worked on at the same time; what lasts counts as long as it does. */
const MOST_AT_ONCE = 256;
/** Bytes of bodies that one owner's requests may bring into memory at the same time. */
const MOST_BYTES = 64 * 1024 * 1024;
/** How many may wait for their turn, and for how many milliseconds. */
const MOST_WAITING = 1024;
const WAIT_MS = 10_000;
/** A body whose length is not told counts as this many bytes. */
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
 * Lets an owner's requests in as far as there is room; the others wait for their turn before
 * anything of their body is read, and are refused with `rate_limited` when it does not come.
 * WebSockets and what needs no key are not counted.
 */
export function admitRequests(app: FastifyInstance, limits: Limits = LIMITS): void {
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
    request.admissionEnded = release;
    reply.raw.once('close', release);
    if (reply.raw.closed) release();
  });
  app.decorateRequest('admissionEnded', null);
  app.addHook('onResponse', async (request) => request.admissionEnded?.());
}

interface Waiting {
  readonly bytes: number;
  begin(): void;
}

/** One owner's requests: those that are in, and those that wait in the order in which they came. */
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

  /** Resolves when it is its turn, with what gives the place back. Rejects with `rate_limited`. */
  enter(bytes: number, signal: AbortSignal): Promise<() => void> {
    if (this.#waiting.size >= this.#limits.waiting) return Promise.reject(refusal());
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
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
      const onAbort = () => giveUp(signal.reason);
      const timer = setTimeout(() => giveUp(refusal()), this.#limits.waitMs);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(turn);
      if (signal.aborted) onAbort();
      else this.#next();
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
  const message = 'Too many requests of yours are under way; try again when some have ended.';
  return new ApiError('rate_limited', message);
}

function bytesOf(request: IncomingMessage): number {
  if (!hasBody(request)) return 0;
  const length = Number(request.headers['content-length'] ?? UNTOLD_BYTES);
  // One that is too large is refused without being read.
  return length > BODY_LIMIT ? 0 : length;
}

declare module 'fastify' {
  interface FastifyRequest {
    admissionEnded: (() => void) | null;
  }
}
