import type { Action, ActionsQuery } from '../contract/resources.js';
import type { Owner } from './access.js';
import type { Log } from './reconcile.js';
import type { ActionRow } from './store/actions.js';
import type { Store } from './store/index.js';

/** As whose key the service itself stands in the ledger. */
export const SERVICE_KEY = 'service';

/** Something that was done to a computer. */
export interface Deed {
  readonly owner: Owner;
  readonly computerId: string;
  readonly action: string;
  readonly detail: Action['detail'];
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  /** Milliseconds since the epoch when it began. */
  readonly began: number;
}

/** A crash loses at most what was done in so long: an action does not wait for the disk. */
const WRITE_EVERY_MS = 200;
const KEPT_MS = 90 * 24 * 60 * 60_000;
const TIDY_EVERY_MS = 60 * 60_000;
/** While the disk takes nothing, so many entries are held back; the oldest go first. */
const HELD_BACK = 10_000;

/** The append-only ledger of who did what to which computer when; kept for 90 days. */
export class Ledger {
  readonly #store: Store;
  readonly #log: Log;
  #waiting: ActionRow[] = [];
  #timer: NodeJS.Timeout | undefined;
  #tidiedAt = 0;
  #failure: string | undefined;
  readonly #listeners: ((deed: Deed) => void)[] = [];

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Why it could not be written the last time; undefined when it could. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Called with everything that is recorded. */
  onDeed(listener: (deed: Deed) => void): void {
    this.#listeners.push(listener);
  }

  record(deed: Deed): void {
    const { owner, computerId, action, detail, outcome, began } = deed;
    for (const listener of this.#listeners) listener(deed);
    this.#waiting.push({
      at: new Date(began).toISOString(),
      owner_id: owner.id,
      computer_id: computerId,
      key_id: owner.keyId,
      action,
      detail: JSON.stringify(detail),
      outcome,
      ms: Date.now() - began,
    });
    this.#timer ??= setTimeout(() => this.#write(), WRITE_EVERY_MS).unref();
  }

  /** The latest first. */
  list(computerId: string, { limit, before }: ActionsQuery): Action[] {
    this.#write();
    const rows = this.#store.actions.list(computerId, before ?? Number.MAX_SAFE_INTEGER, limit);
    return rows.map(({ id, at, action, detail, key_id, outcome, ms }) => {
      return { id, at, action, detail: JSON.parse(detail), key_id, outcome, ms };
    });
  }

  /** Writes what waits. */
  close(): void {
    this.#write();
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    try {
      this.#store.actions.append(this.#waiting);
      this.#waiting = [];
      this.#failure = undefined;
      this.#tidy();
    } catch (error) {
      // A full disk must not hold up what is done; it is tried again with what comes next.
      this.#waiting = this.#waiting.slice(-HELD_BACK);
      const reason = error instanceof Error ? error.message : String(error);
      this.#failure = reason;
      this.#log.warn({ reason, waiting: this.#waiting.length }, 'the ledger cannot be written');
    }
  }

  #tidy(): void {
    const now = Date.now();
    if (now - this.#tidiedAt < TIDY_EVERY_MS) return;
    this.#tidiedAt = now;
    this.#store.actions.dropBefore(new Date(now - KEPT_MS).toISOString());
  }
}
