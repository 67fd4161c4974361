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
  app.addHook('onRequest', (request, reply, done) => {
    const { owner } = request;
    if (owner === null || request.ws) return done();
    const known = lanes.get(owner.id);
    const lane = known ?? new Lane(limits);
    if (known === undefined) lanes.set(owner.id, lane);
    const bytes = request.routeOptions.config.transfers ? 0 : bytesOf(request.raw);
    const begin = ({ resize, release: leave }: ThrottleShare) => {
      const release = () => {
        leave();
        if (lane.idle) lanes.delete(owner.id);
      };
      request.throttleShare = { resize, release };
      reply.raw.once('close', release);
      if (reply.raw.closed) release();
      done();
    };
    const share = lane.tryEnter(bytes);
    if (share !== undefined) return begin(share);
    const left = new AbortController();
    reply.raw.once('close', () => left.abort(new ApiError('request_timeout', 'The client left.')));
    lane.enter(bytes, left.signal).then(begin, (error: ApiError) => {
      reply.header('retry-after', '1');
      // The body that was not read must not be taken for the next request.
      if (hasBody(request.raw)) reply.header('connection', 'close');
      done(error);
    });
  });
  app.decorateRequest('throttleShare', null);
  app.addHook('onResponse', (request, _reply, done) => {
    request.throttleShare?.release();
    done();
  });
}

/** A request's part of its owner's limits. */
interface ThrottleShare {
  /** Counts its body's real size from now on; until then one of unknown size counts as the largest. */
  resize(bytes: number): void;
  /** Idempotent. */
  release(): void;
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

  /** A share if there is room now, after the queued requests. */
  tryEnter(bytes: number): ThrottleShare | undefined {
    if (this.#waiting.size > 0 || !this.#fits(bytes)) return undefined;
    this.#count += 1;
    this.#bytes += bytes;
    return this.#share(bytes);
  }

  #fits(bytes: number): boolean {
    return this.#count < this.#limits.atOnce && this.#bytes + bytes <= this.#limits.bytes;
  }

  /** Resolves when there is room. Rejects with `rate_limited`. */
  enter(bytes: number, signal: AbortSignal): Promise<ThrottleShare> {
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
          resolve(this.#share(bytes));
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

  #share(bytes: number): ThrottleShare {
    let held = bytes;
    let isIn = true;
    const resize = (size: number) => {
      if (!isIn) return;
      this.#bytes += size - held;
      held = size;
      this.#next();
    };
    return {
      resize,
      release: () => {
        if (isIn) this.#count -= 1;
        resize(0);
        isIn = false;
      },
    };
  }

  #next(): void {
    for (const turn of this.#waiting) {
      if (!this.#fits(turn.bytes)) return;
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
  const length = Number(request.headers['content-length'] ?? BODY_LIMIT);
  // One that is too large is refused without being read.
  return length > BODY_LIMIT ? 0 : length;
}

declare module 'fastify' {
  interface FastifyRequest {
    throttleShare: ThrottleShare | null;
  }
}
