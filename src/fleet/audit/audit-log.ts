import { ApiError } from '../../contract/errors.js';
import type {
  Action,
  ActionsQuery,
  AuditQuery,
  AuditEntry as OwnersEntry,
} from '../../contract/resources.js';
import { SampledBucket } from '../../lib/async/token-bucket.js';
import type { Log } from '../../lib/log.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type { Owner } from '../accounts/api-keys.js';
import type { AuditRow } from '../store/audit/entries.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';

/** Key id of entries that the service itself caused. */
export const SERVICE_KEY = 'service';

/** An operation on a computer, or on a key, project or connection of an owner, or on an owner. */
export interface AuditEntry {
  /** Who did it; the entry is in this owner's log. */
  readonly owner: Owner;
  /** Id of the owner that an administrator did it to: the entry is in their log as well. */
  readonly affected?: string | undefined;
  readonly computerId: string | undefined;
  /** The computer's name, if it was looked up; else that of its newest entry. */
  readonly computerName?: string | undefined;
  /** The computer's project, if the computer was looked up. */
  readonly projectId?: string | undefined;
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

/** The outcome of an action whose client or computer was ended, or whose client disconnected. */
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
const KEPT_MS = 90 * 24 * 60 * 60_000;
const TIDY_EVERY_MS = 60 * 60_000;
/** Entries kept in memory while the disk cannot be written. */
const MOST_WAITING = 10_000;
/** Refusals of a key that are written at once, and per second after that: one in ten minutes. */
const REFUSALS = { burst: 100, perSecond: 1 / 600 };
/** The outcomes of what was refused for who asked, not for what was asked. */
const REFUSED: readonly string[] = ['forbidden', 'controlled'];

export function isRefusal(outcome: string): boolean {
  return REFUSED.includes(outcome);
}

/**
 * The append-only audit log of who did what to which computer when. Entries are kept for 90 days in
 * which the service runs: the wall clock may jump, and an entry deleted too early is lost.
 */
export class AuditLog {
  readonly #store: Store;
  readonly #log: Log;
  #waiting: AuditRow[] = [];
  #timer: NodeJS.Timeout | undefined;
  #tidiedAt = performance.now();
  #failure: string | undefined;
  /** By key: a program that repeats refused requests must not fill the log. */
  readonly #refusals = new Map<string, SampledBucket>();
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
    const leftOut = entry.isRefusal ? this.#admitRefusal(owner.keyId) : 0;
    if (leftOut === undefined) return;
    const details = dividedDetail(leftOut > 0 ? { ...detail, left_out: leftOut } : detail);
    for (const id of new Set([owner.id, affected])) {
      for (const part of details) {
        this.#waiting.push({
          at,
          owner_id: id,
          computer_id: computerId ?? '',
          computer_name: entry.computerName ?? null,
          key_id: owner.keyId,
          action,
          detail: JSON.stringify(part),
          outcome,
          ms,
        });
      }
    }
    this.#timer ??= setTimeout(() => this.#write(), WRITE_EVERY_MS).unref();
  }

  /** The refusals that were left out since the last one written; undefined to leave this one out. */
  #admitRefusal(keyId: string): number | undefined {
    const bucket =
      this.#refusals.get(keyId) ?? new SampledBucket(REFUSALS.burst, REFUSALS.perSecond);
    this.#refusals.set(keyId, bucket);
    return bucket.admit();
  }

  /** The computer's entries, newest first. */
  list(
    { id, owner_id }: Pick<ComputerRecord, 'id' | 'owner_id'>,
    { limit, before }: ActionsQuery,
  ): Action[] {
    this.#write();
    const filter = { computer: id, before, limit };
    return this.#store.audit.listOfOwner({ id: owner_id }, filter).map(actionOf);
  }

  /**
   * The owner's entries, newest first; those of deleted computers too. A key for one project sees those
   * of its computers.
   */
  listOfOwner(owner: Pick<Owner, 'id' | 'projectId'>, query: AuditQuery): OwnersEntry[] {
    this.#write();
    const rows = this.#store.audit.listOfOwner(owner, query);
    return rows.map((row) => ({
      ...actionOf(row),
      computer_id: row.computer_id || null,
      computer_name: row.computer_name,
    }));
  }

  /** Whether there are entries of an owner, who may have been deleted. */
  knows(ownerId: string): boolean {
    this.#write();
    const { audit } = this.#store;
    return audit.listOfOwner({ id: ownerId }, { limit: 1 }).length > 0;
  }

  /** Writes the pending entries. */
  close(): void {
    this.#write();
    try {
      this.#tidy();
    } catch (error) {
      this.#log.warn({ err: error }, 'the audit log cannot be tidied');
    }
  }

  /** Writes the pending entries, and drops old ones when that is due. */
  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    try {
      this.#store.audit.append(this.#waiting);
      const owners = new Set(this.#waiting.map(({ owner_id }) => owner_id));
      this.#waiting = [];
      for (const id of owners) this.#store.written.notify(id, 'action');
      if (performance.now() - this.#tidiedAt >= TIDY_EVERY_MS) this.#tidy();
      this.#failure = undefined;
    } catch (error) {
      // A full disk must not fail actions: what failed is tried again with the next entry.
      this.#waiting = this.#waiting.slice(-MOST_WAITING);
      this.#failure = errorMessage(error);
      this.#log.warn(
        { reason: this.#failure, waiting: this.#waiting.length },
        'the audit log cannot be written',
      );
    }
  }

  #tidy(): void {
    const now = performance.now();
    this.#store.audit.dropOld(Math.round(now - this.#tidiedAt), KEPT_MS);
    this.#tidiedAt = now;
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
