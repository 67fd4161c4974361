import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import type { Owner } from '../../fleet/accounts/api-keys.js';
import { type KeyInUse, KeyShares, queueOf } from '../../fleet/accounts/limits/key-shares.js';
import { onAbort } from '../../lib/async/abort.js';
import { TurnShare } from '../limits/turns/turn-share.js';
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
 * before their body is read, and refused with `rate_limited` after a time. A WebSocket counts until
 * it is accepted. Requests without a key are not counted.
 */
export function throttleRequests(
  app: FastifyInstance,
  keyOf: (owner: Owner) => KeyInUse,
  limits: Limits = LIMITS,
): void {
  const lanes = new Map<string, Lane>();
  let connections = 0;
  app.server.on('connection', () => {
    connections += 1;
  });
  const accepted = () => connections;
  app.addHook('onRequest', (request, reply, done) => {
    const owner = request.owner ?? request.askedBy;
    if (owner === null) return done();
    const known = lanes.get(owner.id);
    const forget = () => {
      if (lane.idle && lanes.get(owner.id) === lane) lanes.delete(owner.id);
    };
    const lane = known ?? new Lane(limits, new TurnShare({ accepted, onIdle: forget }));
    if (known === undefined) lanes.set(owner.id, lane);
    const key = keyOf(owner);
    if (request.owner === null) {
      // What needs no key is not counted, but has the turns of who asks.
      const begin = () => {
        if (!reply.raw.closed) done();
      };
      reply.raw.once('close', () => lane.turns.leave(begin, queueOf(key)));
      lane.turns.enter(begin, queueOf(key));
      return;
    }
    const bytes = request.routeOptions.config.transfers ? 0 : bytesOf(request.raw);
    const begin = ({ resize, release: leave }: ThrottleShare) => {
      let waiting: (() => void) | undefined;
      const release = () => {
        if (waiting !== undefined) lane.turns.leave(waiting, queueOf(key));
        waiting = undefined;
        leave();
        forget();
      };
      const turn = (work: () => void) => {
        waiting = () => {
          waiting = undefined;
          // Its client may have left meanwhile.
          if (!reply.raw.closed) work();
        };
        lane.turns.enter(waiting, queueOf(key));
      };
      request.throttleShare = { resize, release, turn };
      reply.raw.once('close', release);
      if (reply.raw.closed) return release();
      turn(done);
    };
    const share = lane.tryEnter(bytes, key);
    if (share !== undefined) return begin(share);
    const left = new AbortController();
    reply.raw.once('close', () => left.abort(new ApiError('request_timeout', 'The client left.')));
    lane.enter(bytes, key, left.signal).then(begin, (error: ApiError) => {
      reply.header('retry-after', '1');
      // The body that was not read must not be taken for the next request.
      if (hasBody(request.raw)) reply.header('connection', 'close');
      done(error);
    });
  });
  app.decorateRequest('throttleShare', null);
  app.decorateRequest('askedBy', null);
  // The last hook before the handler, which accepts it: from here on SocketBudget counts it.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.ws) request.throttleShare?.release();
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    request.throttleShare?.release();
    done();
  });
}

/** A request's part of its owner's limits. */
interface RequestShare extends ThrottleShare {
  /** Calls `work` in the time that the owner has in a turn of the event loop, if the client is there. */
  turn(work: () => void): void;
}

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
  readonly turns: TurnShare;
  readonly #limits: Limits;
  readonly #count: KeyShares;
  readonly #bytes: KeyShares;
  readonly #waiting: KeyShares;
  /** Those of each limited key, and those of the other keys: none waits behind another queue. */
  readonly #queues = new Map<string, Queue>();

  constructor(limits: Limits, turns = new TurnShare()) {
    this.turns = turns;
    this.#limits = limits;
    this.#count = new KeyShares(limits.atOnce);
    this.#bytes = new KeyShares(limits.bytes);
    this.#waiting = new KeyShares(limits.waiting);
  }

  get idle(): boolean {
    return this.#count.isEmpty && this.#queues.size === 0 && this.turns.isIdle;
  }

  /** A share if there is room now, after the key's queued requests. */
  tryEnter(bytes: number, key: KeyInUse): ThrottleShare | undefined {
    if (this.#queues.has(queueOf(key)) || !this.#fits(bytes, key)) return undefined;
    return this.#share(bytes, key);
  }

  #fits(bytes: number, key: KeyInUse): boolean {
    return this.#count.fits(key, 1) && this.#bytes.fits(key, bytes);
  }

  /** Resolves when there is room. Rejects with `rate_limited`. */
  enter(bytes: number, key: KeyInUse, signal: AbortSignal): Promise<ThrottleShare> {
    if (!this.#waiting.fits(key, 1)) return Promise.reject(refusal());
    return new Promise((resolve, reject) => {
      let dispose = () => {};
      const name = queueOf(key);
      const queue = this.#queues.get(name) ?? { key, turns: new Set() };
      const end = () => {
        clearTimeout(timer);
        dispose();
        if (!queue.turns.delete(turn)) return;
        this.#waiting.add(key, -1);
        if (queue.turns.size === 0) this.#queues.delete(name);
      };
      const turn: Waiting = {
        bytes,
        begin: () => {
          end();
          resolve(this.#share(bytes, key));
        },
      };
      const giveUp = (error: unknown) => {
        end();
        reject(error);
        this.#next();
      };
      const timer = setTimeout(() => giveUp(refusal()), this.#limits.waitMs);
      this.#queues.set(name, queue);
      queue.turns.add(turn);
      this.#waiting.add(key, 1);
      dispose = onAbort(signal, giveUp);
      if (!signal.aborted) this.#next();
    });
  }

  #share(bytes: number, key: KeyInUse): ThrottleShare {
    this.#count.add(key, 1);
    this.#bytes.add(key, bytes);
    let held = bytes;
    let isIn = true;
    const resize = (size: number) => {
      if (!isIn) return;
      this.#bytes.add(key, size - held);
      held = size;
      this.#next();
    };
    return {
      resize,
      release: () => {
        if (isIn) this.#count.add(key, -1);
        resize(0);
        isIn = false;
      },
    };
  }

  /** Begins what fits now, each queue's in order and the queues in turn. */
  #next(): void {
    for (let began = true; began; ) {
      began = false;
      for (const { key, turns } of [...this.#queues.values()]) {
        const [turn] = turns;
        if (turn === undefined || !this.#fits(turn.bytes, key)) continue;
        turn.begin();
        began = true;
      }
    }
  }
}

interface Queue {
  readonly key: KeyInUse;
  readonly turns: Set<Waiting>;
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
    throttleShare: RequestShare | null;
    /** Whose key a request has shown that needs none. */
    askedBy: Owner | null;
  }
}
