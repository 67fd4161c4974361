import { ApiError } from '../../contract/errors.js';
import type {
  Action,
  ActionsQuery,
  AuditQuery,
  AuditEntry as OwnersEntry,
} from '../../contract/resources.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type { Owner } from '../accounts/api-keys.js';
import type { Log } from '../lifecycle/reconcile.js';
import type { AuditRow } from '../store/audit/entries.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';
import { latestOfEach } from './held-back.js';
import { RefusalLimit } from './refusal-limit.js';

/** Key id of entries that the service itself caused. */
export const SERVICE_KEY = 'service';

/** An operation on a computer, or on a key, project or connection of an owner, or on an owner. */
export interface AuditEntry {
  /** Who did it; the entry is in this owner's log. */
  readonly owner: Owner;
  /** Id of the owner that an administrator did it to: the entry is in their log as well. */
  readonly affected?: string | undefined;
  readonly computerId: string | undefined;
  readonly action: string;
  readonly detail: Action['detail'];
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  /** When it began. */
  readonly at: string;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** It was refused before anything of it was done. Of these, only so many are written. */
  readonly isRefusal?: boolean;
}

/** Starts timing an operation; the function gives the times of its entry. */
export function startTimer(): () => Pick<AuditEntry, 'at' | 'ms'> {
  const at = Date.now();
  const began = performance.now();
  // As text only for an entry: most requests have none.
  return () => ({
    at: new Date(at).toISOString(),
    ms: Math.round(performance.now() - began),
  });
}

/** The outcome of an action whose client disconnected or ended it. */
export const CANCELLED = 'cancelled';

/** The outcome of an operation that threw `error`; `signal` is aborted when its client goes away. */
export function outcomeOf(error: unknown, signal?: AbortSignal): string {
  if (signal?.aborted) return CANCELLED;
  return error instanceof ApiError ? error.code : 'internal';
}

/** Entries are written in batches, so that actions do not wait for the disk. A crash loses one. */
const WRITE_EVERY_MS = 200;
/** Characters of the names of secrets in an entry. */
const MOST_SECRETS = 400;
/** Entries of a batch: others have their turn before the next one. */
const PART = 500;
const KEPT_MS = 90 * 24 * 60 * 60_000;
const TIDY_EVERY_MS = 60 * 60_000;
/** Entries kept in memory while the disk cannot be written; the oldest of the busiest key are dropped. */
const HELD_BACK = 10_000;

/**
 * The append-only audit log of who did what to which computer when. Entries are kept for 90 days in
 * which the service runs: the wall clock may jump, and an entry deleted too early is lost.
 */
export class AuditLog {
  readonly #store: Store;
  readonly #log: Log;
  #waiting: AuditRow[] = [];
  #timer: NodeJS.Timeout | undefined;
  #next: NodeJS.Immediate | undefined;
  #tidiedAt = performance.now();
  /** There are more old entries to drop. */
  #isTidying = false;
  #failure: string | undefined;
  readonly #refusals = new RefusalLimit();
  readonly #listeners: ((entry: AuditEntry) => void)[] = [];

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Why it could not be written the last time; undefined when it could. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Calls `listener` with every entry. */
  onEntry(listener: (entry: AuditEntry) => void): void {
    this.#listeners.push(listener);
  }

  record(entry: AuditEntry): void {
    const { owner, affected = owner.id, computerId, action, detail, outcome, at, ms } = entry;
    for (const listener of this.#listeners) listener(entry);
    const holder = this.#store.keys.holderOf(owner.keyId);
    const leftOut = entry.isRefusal ? this.#refusals.admit(holder) : 0;
    if (leftOut === undefined) return;
    const details = dividedDetail(leftOut > 0 ? { ...detail, left_out: leftOut } : detail);
    for (const id of new Set([owner.id, affected])) {
      for (const part of details) {
        this.#waiting.push({
          at,
          owner_id: id,
          computer_id: computerId ?? '',
          key_id: owner.keyId,
          action,
          detail: JSON.stringify(part),
          outcome,
          ms,
        });
      }
    }
    this.#timer ??= setTimeout(() => this.#work(), WRITE_EVERY_MS).unref();
    if (this.#waiting.length >= PART && this.#failure === undefined) this.#workSoon();
  }

  /** The computer's entries, newest first. */
  list(
    { id, owner_id }: Pick<ComputerRecord, 'id' | 'owner_id'>,
    { limit, before }: ActionsQuery,
  ): Action[] {
    this.#write();
    const end = before ?? Number.MAX_SAFE_INTEGER;
    return this.#store.audit.listOfOwner({ id: owner_id }, id, end, limit).map(actionOf);
  }

  /**
   * The owner's entries, newest first; those of deleted computers too. A key for one project sees those
   * of its computers.
   */
  listOfOwner(
    owner: Pick<Owner, 'id' | 'projectId'>,
    { limit, before, computer }: AuditQuery,
  ): OwnersEntry[] {
    this.#write();
    const end = before ?? Number.MAX_SAFE_INTEGER;
    const rows = this.#store.audit.listOfOwner(owner, computer, end, limit);
    return rows.map((row) => ({ ...actionOf(row), computer_id: row.computer_id || null }));
  }

  /** Whether there are entries of an owner, who may have been deleted. */
  knows(ownerId: string): boolean {
    this.#write();
    const { audit } = this.#store;
    return audit.listOfOwner({ id: ownerId }, undefined, Number.MAX_SAFE_INTEGER, 1).length > 0;
  }

  /** Writes the pending entries. */
  close(): void {
    this.#write();
    try {
      this.#tidy();
    } catch (error) {
      this.#log.warn({ err: error }, 'the audit log cannot be tidied');
    }
    clearImmediate(this.#next);
  }

  /** Writes a batch, or else drops old entries, and continues in later turns of the event loop. */
  #work(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) this.#tidyWhenDue();
    else if (this.#writePart()) this.#workSoon();
  }

  #workSoon(): void {
    this.#next ??= setImmediate(() => {
      this.#next = undefined;
      this.#work();
    });
  }

  /** Writes all: who reads has to see them. They are few, as long as the disk can be written. */
  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    let isWritten = this.#waiting.length > 0;
    while (isWritten && this.#waiting.length > 0) isWritten = this.#writePart();
    if (isWritten) this.#tidyWhenDue();
  }

  #writePart(): boolean {
    return this.#try(() => {
      const part = this.#waiting.slice(0, PART);
      this.#store.audit.append(part);
      this.#waiting = this.#waiting.slice(PART);
      for (const { owner_id } of part) this.#store.written.notify(owner_id, 'action');
    });
  }

  #tidyWhenDue(): void {
    const isDue = this.#isTidying || performance.now() - this.#tidiedAt >= TIDY_EVERY_MS;
    if (isDue && this.#try(() => this.#tidy()) && this.#isTidying) this.#workSoon();
  }

  #tidy(): void {
    const now = performance.now();
    this.#isTidying = this.#store.audit.dropOld(Math.round(now - this.#tidiedAt), KEPT_MS);
    this.#tidiedAt = now;
  }

  /** A full disk must not fail actions: what failed is tried again with the next entry. */
  #try(write: () => void): boolean {
    try {
      write();
      this.#failure = undefined;
      return true;
    } catch (error) {
      this.#waiting = latestOfEach(this.#waiting, HELD_BACK, this.#store.keys.holderOf);
      this.#failure = errorMessage(error);
      this.#log.warn(
        { reason: this.#failure, waiting: this.#waiting.length },
        'the audit log cannot be written',
      );
      return false;
    }
  }
}

/**
 * The detail of an entry, with the names of secrets that do not fit in details of further
 * entries: the log is limited in entries, so each has to be short.
 */
function dividedDetail(detail: Action['detail']): Action['detail'][] {
  const { secrets } = detail;
  if (typeof secrets !== 'string' || secrets.length <= MOST_SECRETS) return [detail];
  const parts: string[] = [];
  for (const name of secrets.split(' ')) {
    const last = parts.at(-1);
    if (last === undefined || last.length + name.length >= MOST_SECRETS) parts.push(name);
    else parts[parts.length - 1] = `${last} ${name}`;
  }
  return parts.map((part, index) => ({ ...(index === 0 && detail), secrets: part }));
}

function actionOf(row: AuditRow & Pick<Action, 'id' | 'key_name'>): Action {
  const { id, at, action, key_id, key_name, outcome, ms } = row;
  const detail = JSON.parse(row.detail) as Action['detail'];
  return { id, at, action, detail, key_id, key_name, outcome, ms };
}
