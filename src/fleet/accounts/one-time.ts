import type { HolderOf } from '../store/accounts/key-holders.js';
import type { Owner } from './api-keys.js';
import { oldestOfBusiestKey } from './oldest.js';

export interface OneTimeOptions<T> {
  readonly lifeMs: number;
  /** Of one owner; beyond it the oldest one of the holder of keys that has the most is dropped. */
  readonly most: number;
  readonly holderOf: HolderOf;
  /** A monotonic clock in milliseconds. */
  now(): number;
  /** Called for each that was dropped or has expired, but not for one that was taken. */
  ended(value: T): void;
}

interface Entry<T> {
  readonly owner: Owner;
  readonly value: T;
  readonly expiresAt: number;
  readonly timer: NodeJS.Timeout;
}

/** Values behind secrets, by the hashes of these: bounded per owner, and each for a limited time. */
export class OneTime<T> {
  readonly #options: OneTimeOptions<T>;
  /** The oldest first. */
  readonly #entries = new Map<string, Entry<T>>();

  constructor(options: OneTimeOptions<T>) {
    this.#options = options;
  }

  /** For `lifeMs` at most. */
  add(hash: string, owner: Owner, value: T, lifeMs = this.#options.lifeMs): void {
    const { most, now, holderOf } = this.#options;
    const own = [...this.#entries].filter(([, entry]) => entry.owner.id === owner.id);
    if (own.length >= most) {
      const keys = own.map(([name, entry]) => [name, entry.owner.keyId] as const);
      this.#drop(oldestOfBusiestKey(keys, holderOf));
    }
    const timer = setTimeout(() => this.#drop(hash), lifeMs).unref();
    this.#entries.set(hash, { owner, value, timer, expiresAt: now() + lifeMs });
  }

  get(hash: string): T | undefined {
    const entry = this.#entries.get(hash);
    if (entry === undefined || entry.expiresAt > this.#options.now()) return entry?.value;
    this.#drop(hash);
    return undefined;
  }

  /** The value, which is gone then. */
  take(hash: string): T | undefined {
    const value = this.get(hash);
    clearTimeout(this.#entries.get(hash)?.timer);
    this.#entries.delete(hash);
    return value;
  }

  find(matches: (value: T) => boolean): T | undefined {
    return [...this.#entries.values()].map(({ value }) => value).find(matches);
  }

  dropWhere(matches: (value: T) => boolean): void {
    for (const [hash, { value }] of this.#entries) if (matches(value)) this.#drop(hash);
  }

  #drop(hash: string | undefined): void {
    const entry = hash === undefined ? undefined : this.#entries.get(hash);
    if (hash === undefined || entry === undefined) return;
    clearTimeout(entry.timer);
    this.#entries.delete(hash);
    this.#options.ended(entry.value);
  }
}
