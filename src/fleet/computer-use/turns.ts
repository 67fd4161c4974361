import { createHash } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';
import { type Caller, isOf, nameOf, type Removed } from './caller.js';

type Limits = { readonly [K in keyof typeof LIMITS]: number };

/**
 * Calls and bytes of results that are remembered of one pair of API key and computer, and for how
 * long; pairs and bytes in all.
 */
const LIMITS = {
  ms: 10 * 60_000,
  calls: 200,
  pairBytes: 16 * 2 ** 20,
  pairs: 5_000,
  bytes: 256 * 2 ** 20,
} as const;

interface Remembered<R> {
  readonly hash: string;
  readonly result: Promise<R>;
  bytes: number;
  isRunning: boolean;
  /** When it is forgotten, as `performance.now`; set when it has ended. */
  expiresAt: number;
}

/** The calls of a key on a computer, in order. */
interface Pair<R> {
  readonly caller: Caller;
  readonly calls: Map<string, Remembered<R>>;
  bytes: number;
}

/**
 * Remembers the results of calls by their ids, so that a repeated turn has the same results and
 * nothing is done twice. A call is forgotten 10 minutes after it has ended. Beyond the limits the calls
 * of the pair that was used longest ago are forgotten, but never a call that runs.
 */
export class Turns<R extends { readonly bytes: number }> {
  /** In the order of their last use. */
  readonly #pairs = new Map<string, Pair<R>>();
  readonly #limits: Limits;
  readonly #now: () => number;
  #bytes = 0;

  constructor(limits: Partial<Limits> = {}, now: () => number = () => performance.now()) {
    this.#limits = { ...LIMITS, ...limits };
    this.#now = now;
  }

  /**
   * The result of the call, whose id is unique in its scope: that of `run` the first time. A call that rejects is forgotten.
   * Throws ApiError `conflict` for another `item` of the same id.
   */
  once(caller: Caller, call: string, item: unknown, run: () => Promise<R>, scope = ''): Promise<R> {
    const id = JSON.stringify([scope, call]);
    const pair = this.#use(caller);
    const hash = createHash('sha256').update(JSON.stringify(item)).digest('base64');
    const known = pair.calls.get(id);
    if (known === undefined || known.expiresAt <= this.#now())
      return this.#remember(pair, id, hash, run());
    if (known.hash === hash) return known.result;
    throw new ApiError('conflict', `Another call had the id ${JSON.stringify(call)}.`, {
      remedy: 'Give each call an id of its own.',
    });
  }

  /** Forgets the calls of a key or computer that was removed. */
  forget(removed: Removed): void {
    for (const [name, pair] of this.#pairs) {
      if (!isOf(pair.caller, removed)) continue;
      this.#pairs.delete(name);
      this.#bytes -= pair.bytes;
    }
  }

  /** The caller's pair, which is now the last one used. */
  #use(caller: Caller): Pair<R> {
    const name = nameOf(caller);
    const pair = this.#pairs.get(name) ?? { caller, calls: new Map(), bytes: 0 };
    this.#pairs.delete(name);
    this.#pairs.set(name, pair);
    return pair;
  }

  #remember(pair: Pair<R>, id: string, hash: string, result: Promise<R>): Promise<R> {
    const expiresAt = Number.POSITIVE_INFINITY;
    const entry: Remembered<R> = { hash, result, bytes: 0, isRunning: true, expiresAt };
    const expired = pair.calls.get(id);
    // Not in the place of the expired one, which is the first to be forgotten.
    pair.calls.delete(id);
    pair.calls.set(id, entry);
    if (expired !== undefined) this.#release(pair, expired);
    this.#trim(pair, entry);
    result.then(
      ({ bytes }) => {
        entry.isRunning = false;
        entry.expiresAt = this.#now() + this.#limits.ms;
        if (!this.#isKept(pair)) return;
        entry.bytes = bytes + id.length * 2;
        pair.bytes += entry.bytes;
        this.#bytes += entry.bytes;
        this.#trim(pair, entry);
      },
      () => {
        pair.calls.delete(id);
        if (pair.calls.size === 0 && this.#isKept(pair)) this.#pairs.delete(nameOf(pair.caller));
      },
    );
    return result;
  }

  /** False after its key or computer was removed. */
  #isKept(pair: Pair<R>): boolean {
    return this.#pairs.get(nameOf(pair.caller)) === pair;
  }

  #trim(pair: Pair<R>, newest: Remembered<R>): void {
    const { calls, pairBytes, pairs, bytes } = this.#limits;
    for (const [id, entry] of pair.calls) {
      if (pair.calls.size <= calls && pair.bytes <= pairBytes) break;
      this.#drop(pair, id, entry, newest);
    }
    for (const other of this.#pairs.values()) {
      if (this.#pairs.size <= pairs && this.#bytes <= bytes) break;
      for (const [id, entry] of other.calls) this.#drop(other, id, entry, newest);
    }
  }

  #drop(pair: Pair<R>, id: string, entry: Remembered<R>, newest: Remembered<R>): void {
    if (entry.isRunning || entry === newest) return;
    pair.calls.delete(id);
    this.#release(pair, entry);
    if (pair.calls.size === 0) this.#pairs.delete(nameOf(pair.caller));
  }

  #release(pair: Pair<R>, entry: Remembered<R>): void {
    pair.bytes -= entry.bytes;
    this.#bytes -= entry.bytes;
  }
}
