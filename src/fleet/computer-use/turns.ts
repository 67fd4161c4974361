import { createHash } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';
import type { HolderOf } from '../store/accounts/key-holders.js';
import { type Caller, isOf, nameOf, type Removed } from './caller.js';

type Limits = { readonly [K in keyof typeof LIMITS]: number };

/**
 * Calls and bytes of results that are remembered of one pair of API key and computer; pairs and bytes
 * of one owner, and of all.
 */
const LIMITS = {
  ...{ calls: 200, pairBytes: 16 * 2 ** 20 },
  ...{ ownerPairs: 1_000, ownerBytes: 64 * 2 ** 20 },
  ...{ pairs: 5_000, bytes: 256 * 2 ** 20 },
} as const;

interface Remembered<R> {
  readonly hash: string;
  readonly result: Promise<R>;
  bytes: number;
  isRunning: boolean;
}

/** The calls of a key on a computer, in order. */
interface Pair<R> {
  readonly caller: Caller;
  readonly calls: Map<string, Remembered<R>>;
  bytes: number;
}

/** The pairs of an owner in the order of their last use. */
interface Memory<R> {
  readonly pairs: Map<string, Pair<R>>;
  bytes: number;
}

type Measure = (of: { readonly bytes: number }) => number;

/**
 * Remembers the results of calls by their ids, so that a repeated turn has the same results and
 * nothing is done twice. Bounded: beyond the limits those of the owner with the most are dropped, of
 * its holder of keys with the most those that were used longest ago, but never a call that runs.
 */
export class Turns<R extends { readonly bytes: number }> {
  readonly #owners = new Map<string, Memory<R>>();
  readonly #limits: Limits;
  readonly #holderOf: HolderOf;

  constructor(holderOf: HolderOf, limits: Partial<Limits> = {}) {
    this.#holderOf = holderOf;
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * The result of the call `id`: that of `run` the first time. A call that rejects is forgotten.
   * Throws ApiError `conflict` for another `item` of the same id.
   */
  once(caller: Caller, id: string, item: unknown, run: () => Promise<R>): Promise<R> {
    const pair = this.#find(caller);
    const hash = createHash('sha256').update(JSON.stringify(item)).digest('base64');
    const known = pair?.calls.get(id);
    if (pair !== undefined && known !== undefined) {
      this.#used(pair);
      if (known.hash === hash) return known.result;
      throw new ApiError('conflict', `Another call had the id ${JSON.stringify(id)}.`, {
        remedy: 'Give each call an id of its own.',
      });
    }
    return this.#remember(pair ?? { caller, calls: new Map(), bytes: 0 }, id, hash, run());
  }

  /** Forgets the calls of a key or computer that was removed. */
  forget(removed: Removed): void {
    for (const { pairs } of this.#owners.values()) {
      for (const pair of pairs.values()) if (isOf(pair.caller, removed)) this.#removePair(pair);
    }
  }

  #remember(pair: Pair<R>, id: string, hash: string, result: Promise<R>): Promise<R> {
    const entry: Remembered<R> = { hash, result, bytes: 0, isRunning: true };
    pair.calls.set(id, entry);
    this.#used(pair);
    this.#trim(pair, entry);
    result.then(
      ({ bytes }) => {
        entry.isRunning = false;
        if (!this.#isKept(pair)) return;
        this.#add(pair, entry, bytes + id.length * 2);
        this.#trim(pair, entry);
      },
      () => {
        pair.calls.delete(id);
        if (this.#isKept(pair) && pair.calls.size === 0) this.#removePair(pair);
      },
    );
    return result;
  }

  #find(caller: Caller): Pair<R> | undefined {
    return this.#owners.get(caller.ownerId)?.pairs.get(nameOf(caller));
  }

  /** False after its key or computer was removed. */
  #isKept(pair: Pair<R>): boolean {
    return this.#find(pair.caller) === pair;
  }

  #used(pair: Pair<R>): void {
    const { ownerId } = pair.caller;
    const memory = this.#owners.get(ownerId) ?? { pairs: new Map<string, Pair<R>>(), bytes: 0 };
    this.#owners.set(ownerId, memory);
    memory.pairs.delete(nameOf(pair.caller));
    memory.pairs.set(nameOf(pair.caller), pair);
  }

  #add(pair: Pair<R>, entry: Remembered<R>, bytes: number): void {
    entry.bytes += bytes;
    pair.bytes += bytes;
    const memory = this.#owners.get(pair.caller.ownerId);
    if (memory !== undefined) memory.bytes += bytes;
  }

  #trim(pair: Pair<R>, newest: Remembered<R>): void {
    const { calls, pairBytes, ownerPairs, ownerBytes, pairs, bytes } = this.#limits;
    while (pair.calls.size > calls || pair.bytes > pairBytes) {
      const [oldest] = droppable(pair, newest);
      if (oldest === undefined) break;
      this.#dropCall(pair, oldest);
    }
    const own = this.#owners.get(pair.caller.ownerId);
    while (own !== undefined && own.bytes > ownerBytes && this.#dropFrom(own, newest, byBytes));
    while (own !== undefined && own.pairs.size > ownerPairs && this.#dropFrom(own, newest, byOne));
    while (this.#sum(({ bytes }) => bytes) > bytes && this.#dropFromLargest(newest, byBytes));
    while (this.#sum(({ pairs }) => pairs.size) > pairs && this.#dropFromLargest(newest, byOne));
  }

  #sum(measure: (memory: Memory<R>) => number): number {
    let sum = 0;
    for (const memory of this.#owners.values()) sum += measure(memory);
    return sum;
  }

  /** Drops calls of the owner with the most; false if there are none but running ones. */
  #dropFromLargest(newest: Remembered<R>, measure: Measure): boolean {
    const size = ({ pairs, bytes }: Memory<R>) => (measure === byBytes ? bytes : pairs.size);
    const owners = [...this.#owners.values()].sort((a, b) => size(b) - size(a));
    return owners.some((memory) => this.#dropFrom(memory, newest, measure));
  }

  /** Drops the ended calls of the pair that the holder of keys with the most used longest ago. */
  #dropFrom({ pairs }: Memory<R>, newest: Remembered<R>, measure: Measure): boolean {
    const sizes = new Map<string, number>();
    const oldest = new Map<string, Pair<R>>();
    for (const pair of pairs.values()) {
      const holder = this.#holderOf(pair.caller.keyId);
      sizes.set(holder, (sizes.get(holder) ?? 0) + measure(pair));
      // An owner can have many pairs: the calls of few of them are looked at.
      if (oldest.has(holder)) continue;
      const ended = droppable(pair, newest).length;
      // Fewer pairs are left only without any of their calls.
      const isUseful = measure === byOne ? ended === pair.calls.size : ended > 0;
      if (isUseful) oldest.set(holder, pair);
    }
    const size = (holder: string) => sizes.get(holder) ?? 0;
    const [busiest] = [...oldest].sort(([a], [b]) => size(b) - size(a));
    if (busiest === undefined) return false;
    for (const id of droppable(busiest[1], newest)) this.#dropCall(busiest[1], id);
    return true;
  }

  #dropCall(pair: Pair<R>, id: string): void {
    const entry = pair.calls.get(id);
    if (entry === undefined) return;
    pair.calls.delete(id);
    this.#add(pair, entry, -entry.bytes);
    if (pair.calls.size === 0) this.#removePair(pair);
  }

  #removePair(pair: Pair<R>): void {
    const memory = this.#owners.get(pair.caller.ownerId);
    if (memory === undefined) return;
    memory.bytes -= pair.bytes;
    memory.pairs.delete(nameOf(pair.caller));
    if (memory.pairs.size === 0) this.#owners.delete(pair.caller.ownerId);
  }
}

const byBytes: Measure = ({ bytes }) => bytes;
const byOne: Measure = () => 1;

/** Ids of the calls that have ended, except the newest, the oldest first. */
function droppable<R>({ calls }: Pair<R>, newest: Remembered<R>): string[] {
  return [...calls].filter(([, entry]) => !entry.isRunning && entry !== newest).map(([id]) => id);
}
