import { ApiError } from '../../contract/errors.js';
import type { Key } from '../../contract/resources.js';
import { type CachedKey, hasBudget } from '../store/accounts/keys.js';
import type { Store } from '../store/index.js';

const HOUR_MS = 3_600_000;
/** The part of a budget after which answers warn. */
const WARN_AT = 0.8;

/** What a budget limits. */
export type Budgeted = 'computers' | 'hours' | 'actions';
const KINDS: readonly Budgeted[] = ['computers', 'hours', 'actions'];

/** What a budget counts, in sentences. */
const WHAT: Readonly<Record<Budgeted, string>> = {
  computers: 'computers created',
  hours: 'hours of computers',
  actions: 'actions',
};

/** Actions of keys with a budget are written so long after they were counted, as in the audit log. */
const WRITE_AFTER_MS = 200;

/**
 * What API keys use in all, and the limits of that. A computer is counted in the transaction that creates
 * it. Computer time and actions are added up in memory and written with the daily usage, so a crash
 * loses a minute; for a key with a budget of actions a fraction of a second.
 */
export class Budgets {
  readonly #store: Store;
  /** By key: what is not written yet. What the service itself or a deleted key does has no row. */
  readonly #waiting = new Map<string, { ms: number; actions: number }>();
  /** By key: actions that have begun and are not counted yet. */
  readonly #begun = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The key has used that, or computers that it has created have run so long. */
  add(keyId: string, { ms = 0, actions = 0 }: { ms?: number; actions?: number }): void {
    const waiting = this.#waiting.get(keyId) ?? { ms: 0, actions: 0 };
    waiting.ms += ms;
    waiting.actions += actions;
    this.#waiting.set(keyId, waiting);
  }

  /**
   * Reserves an action of the budget until the returned function is called: when the action is counted,
   * or has ended without. Throws `limit_reached` if those that have begun use up the budget.
   */
  begin(keyId: string): () => void {
    this.refuse(keyId, 'actions');
    this.#begun.set(keyId, this.#begunOf(keyId) + 1);
    let isReserved = true;
    return () => {
      if (!isReserved) return;
      isReserved = false;
      this.#timer ??= setTimeout(() => this.#tryToWrite(), WRITE_AFTER_MS).unref();
      const left = this.#begunOf(keyId) - 1;
      if (left === 0) this.#begun.delete(keyId);
      else this.#begun.set(keyId, left);
    };
  }

  #begunOf(keyId: string): number {
    return this.#begun.get(keyId) ?? 0;
  }

  #tryToWrite(): void {
    try {
      this.write();
    } catch {
      // A full disk. Written with the daily usage, which logs it.
    }
  }

  write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#store.transaction(() => {
      for (const [id, { ms, actions }] of this.#waiting) {
        this.#store.keys.use(id, { used_ms: ms, used_actions: actions });
      }
    });
    this.#waiting.clear();
  }

  /** What the key has used since it was created. */
  used(keyId: string): Key['used'] {
    const {
      used_computers = 0,
      used_ms = 0,
      used_actions = 0,
    } = this.#store.keys.used(keyId) ?? {};
    const { ms = 0, actions = 0 } = this.#waiting.get(keyId) ?? {};
    return {
      computers: used_computers,
      hours: Math.round(((used_ms + ms) / HOUR_MS) * 1000) / 1000,
      actions: used_actions + actions,
    };
  }

  /** Counts new computers within the transaction that creates them; throws if they are too many. */
  created(keyId: string, computers: number): void {
    this.refuse(keyId, 'computers', computers);
    this.#store.keys.use(keyId, { used_computers: computers });
  }

  /** A creation has failed, and the computer was removed. */
  notCreated(keyId: string): void {
    this.#store.keys.use(keyId, { used_computers: -1 });
  }

  /** Throws `limit_reached` if the budget of the key does not allow `more`. */
  refuse(keyId: string, kind: Budgeted, more = 1): void {
    const key = this.#store.keys.find(keyId);
    const most = key?.[`max_${kind}`] ?? null;
    if (key === undefined || most === null) return;
    const used = this.used(keyId)[kind] + (kind === 'actions' ? this.#begunOf(keyId) : 0);
    // Hours go by while the computer runs.
    if (kind === 'hours' ? used < most : used + more <= most) return;
    const message = `The budget of the API key ${JSON.stringify(key.name)} is used up: ${used} of ${most} ${WHAT[kind]} (max_${kind}).`;
    throw new ApiError('limit_reached', message, {
      remedy: `With a key that has all rights and no budget, raise it: vc key update ${key.id} --max-${kind} N`,
    });
  }

  /** Whether computers that the key has created may no longer run. */
  isOutOfHours(keyId: string): boolean {
    const most = this.#store.keys.find(keyId)?.max_hours ?? null;
    return most !== null && this.used(keyId).hours >= most;
  }

  /** The budgets of which most is used, such as `max_actions=812/1000`; undefined if there is none. */
  warning(key: CachedKey): string | undefined {
    if (!hasBudget(key)) return undefined;
    const used = this.used(key.id);
    const near = KINDS.flatMap((kind) => {
      const most = key[`max_${kind}`];
      return most !== null && used[kind] >= WARN_AT * most
        ? [`max_${kind}=${used[kind]}/${most}`]
        : [];
    });
    return near.length === 0 ? undefined : near.join(', ');
  }
}
