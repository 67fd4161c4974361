import { createHash } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';

type Limits = { readonly [K in keyof typeof LIMITS]: number };

/** Calls and bytes of results that are remembered of one API key on one computer, and of all. */
const LIMITS = {
  calls: 200,
  keyBytes: 16 * 1024 * 1024,
  bytes: 256 * 1024 * 1024,
  keys: 5_000,
} as const;

interface Remembered<R> {
  readonly hash: string;
  readonly result: Promise<R>;
  bytes: number;
}

/**
 * Remembers the results of calls by their ids, so that a repeated turn has the same results and
 * nothing is done twice. Bounded: the oldest results of a key, then of the oldest key, are dropped.
 */
export class Turns<R extends { readonly bytes: number }> {
  /** Keys in the order of their last use, each with its calls in order. */
  readonly #keys = new Map<string, Map<string, Remembered<R>>>();
  #bytes = 0;
  readonly #limits: Limits;

  constructor(limits: Partial<Limits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * The result of the call `id`: that of `run` the first time. A call that rejects is forgotten.
   * Throws ApiError `conflict` for another `item` of the same id.
   */
  once(key: string, id: string, item: unknown, run: () => Promise<R>): Promise<R> {
    const calls = this.#keys.get(key) ?? new Map<string, Remembered<R>>();
    const hash = createHash('sha256').update(JSON.stringify(item)).digest('base64');
    const known = calls.get(id);
    if (known !== undefined) {
      this.#used(key, calls);
      if (known.hash === hash) return known.result;
      throw new ApiError('conflict', `Another call had the id ${JSON.stringify(id)}.`, {
        remedy: 'Give each call an id of its own.',
      });
    }
    const entry: Remembered<R> = { hash, result: run(), bytes: 0 };
    calls.set(id, entry);
    this.#used(key, calls);
    this.#trim(calls);
    entry.result.then(
      ({ bytes }) => {
        if (calls.get(id) !== entry || this.#keys.get(key) !== calls) return;
        entry.bytes = bytes;
        this.#bytes += bytes;
        this.#trim(calls);
      },
      () => {
        if (calls.get(id) === entry) calls.delete(id);
        if (calls.size === 0 && this.#keys.get(key) === calls) this.#keys.delete(key);
      },
    );
    return entry.result;
  }

  #used(key: string, calls: Map<string, Remembered<R>>): void {
    this.#keys.delete(key);
    this.#keys.set(key, calls);
  }

  #trim(newest: Map<string, Remembered<R>>): void {
    const { calls: most, keyBytes, bytes, keys } = this.#limits;
    const sum = () => [...newest.values()].reduce((total, { bytes }) => total + bytes, 0);
    while (newest.size > 1 && (newest.size > most || sum() > keyBytes)) this.#dropFirst(newest);
    for (const [key, calls] of this.#keys) {
      if (this.#bytes <= bytes && this.#keys.size <= keys) return;
      if (calls === newest) continue;
      while (calls.size > 0) this.#dropFirst(calls);
      this.#keys.delete(key);
    }
  }

  #dropFirst(calls: Map<string, Remembered<R>>): void {
    const [first] = calls;
    if (first === undefined) return;
    calls.delete(first[0]);
    this.#bytes -= first[1].bytes;
  }
}
