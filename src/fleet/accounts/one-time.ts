import type { Owner } from './api-keys.js';

export interface OneTimeOptions<T> {
  readonly lifeMs: number;
  /** Entries of one owner; beyond it the oldest is dropped. */
  readonly most: number;
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
    const { most, now } = this.#options;
    const timer = setTimeout(() => this.#drop(hash), lifeMs).unref();
    this.#entries.set(hash, { owner, value, timer, expiresAt: now() + lifeMs });
    const own = [...this.#entries].filter(([, entry]) => entry.owner.id === owner.id);
    for (const [name] of own.slice(0, Math.max(0, own.length - most))) this.#drop(name);
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

  #drop(hash: string): void {
    const entry = this.#entries.get(hash);
    if (entry === undefined) return;
    clearTimeout(entry.timer);
    this.#entries.delete(hash);
    this.#options.ended(entry.value);
  }
}
