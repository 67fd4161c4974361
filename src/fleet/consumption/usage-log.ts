import type { UsageDay } from '../../contract/resources/usage.js';
import type { Log } from '../../lib/log.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type { Owner } from '../accounts/api-keys.js';
import type { AuditEntry } from '../audit/audit-log.js';
import {
  OTHERS,
  type UsageAmounts,
  type UsageRow,
  type UsageSubject,
} from '../store/daily-usage.js';
import type { Store } from '../store/index.js';
import type { Budgets } from './budgets.js';

/** Running computers are counted, and amounts are written, this often, in milliseconds. */
const EVERY_MS = 60_000;
/** Requests count the computers of all owners at most this often, in milliseconds. */
const FRESH_MS = 1_000;
/**
 * Subjects kept in memory until they are written, of one owner and in all. What further ones use is
 * added up for their owner.
 */
const MOST_OF_OWNER = 1_000;
const MOST = 20_000;
/** Of computers that were created before it was recorded who did. */
const UNKNOWN_KEY = '';

type Mutable = { -readonly [Name in keyof UsageAmounts]: UsageAmounts[Name] };
type Entry = readonly [UsageSubject, Mutable];

/**
 * What owners use, by day, key and project. Amounts are added up in memory and written once a minute: a
 * request reads and writes no database for it, and a crash loses a minute.
 */
export class UsageLog {
  readonly #store: Store;
  readonly #log: Log;
  readonly #budgets: Budgets;
  /** Amounts by owner, then by key and project. */
  readonly #waiting = new Map<string, Map<string, Entry>>();
  #subjects = 0;
  readonly #timer: NodeJS.Timeout;
  #countedAt = performance.now();
  /** When a request had them counted. */
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(store: Store, log: Log, budgets: Budgets) {
    this.#store = store;
    this.#log = log;
    this.#budgets = budgets;
    this.#timer = setInterval(() => this.#tick(), EVERY_MS).unref();
  }

  /** An operation of the audit log. */
  action({ owner, computerId, projectId, action, outcome }: AuditEntry): void {
    const isCreated =
      outcome === 'ok' && (action === 'createComputer' || action === 'forkComputer');
    const record =
      computerId === undefined || (projectId !== undefined && !isCreated)
        ? undefined
        : this.#store.computers.findById(computerId);
    owner.actionCounted?.();
    this.#add(owner, projectId ?? record?.project_id, { actions: 1 });
    if (isCreated && record?.created_by === owner.keyId && isNew(record.created_at)) {
      this.#add(owner, record.project_id, { computers: 1 });
    }
  }

  /** Bytes that a request or WebSocket has sent and received. */
  bytes(owner: Owner, projectId: string | undefined, bytes: number): void {
    if (bytes > 0) this.#add(owner, projectId, { bytes });
  }

  /** The newest day first; a key for one project sees only that one. */
  list(owner: Owner, days: number): UsageDay[] {
    const now = performance.now();
    if (now - this.#askedAt >= FRESH_MS) {
      this.#askedAt = now;
      this.#try(() => this.#countRunning());
    }
    this.#try(() => this.#write([owner.id]));
    return this.#store.usage.list(owner, days).map(serialize);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#tick();
  }

  #tick(): void {
    this.#try(() => {
      this.#countRunning();
      this.#write([...this.#waiting.keys()]);
      this.#budgets.write();
    });
  }

  #countRunning(): void {
    const now = performance.now();
    const elapsed = Math.round(now - this.#countedAt);
    this.#countedAt = now;
    for (const record of this.#store.computers.listAll()) {
      if (record.status !== 'running') continue;
      const { owner_id, created_by, project_id } = record;
      const owner = { id: owner_id, keyId: created_by ?? UNKNOWN_KEY };
      this.#add(owner, project_id, { computer_ms: elapsed });
    }
  }

  /** Writes what has been added up for these owners. */
  #write(ownerIds: readonly string[]): void {
    const entries = ownerIds.flatMap((id) => [...(this.#waiting.get(id)?.values() ?? [])]);
    if (entries.length === 0) return;
    this.#store.usage.add(new Date().toISOString().slice(0, 10), entries);
    for (const id of ownerIds) this.#waiting.delete(id);
    this.#subjects -= entries.length;
  }

  #try(work: () => void): void {
    try {
      work();
    } catch (error) {
      // A full disk must fail nothing. Tried again in a minute.
      this.#log.warn({ reason: errorMessage(error) }, 'the usage cannot be written');
    }
  }

  #add(
    { id, keyId }: Pick<Owner, 'id' | 'keyId'>,
    project: string | undefined,
    more: Partial<UsageAmounts>,
  ) {
    const { computer_ms: ms = 0, actions = 0 } = more;
    if (ms + actions > 0) this.#budgets.add(keyId, { ms, actions });
    const [, amounts] = this.#entry({ owner_id: id, key_id: keyId, project_id: project ?? '' });
    amounts.computers += more.computers ?? 0;
    amounts.computer_ms += ms;
    amounts.actions += actions;
    amounts.bytes += more.bytes ?? 0;
  }

  /** The amounts of the subject; those of the others of its owner if there are too many. */
  #entry(subject: UsageSubject): Entry {
    const { owner_id, key_id, project_id } = subject;
    const ofOwner = this.#waiting.get(owner_id) ?? new Map<string, Entry>();
    this.#waiting.set(owner_id, ofOwner);
    const name = `${key_id} ${project_id}`;
    const present = ofOwner.get(name);
    if (present !== undefined) return present;
    const isFull = ofOwner.size >= MOST_OF_OWNER || this.#subjects >= MOST;
    if (isFull && key_id !== OTHERS) {
      return this.#entry({ owner_id, key_id: OTHERS, project_id: '' });
    }
    const entry: Entry = [subject, { computers: 0, computer_ms: 0, actions: 0, bytes: 0 }];
    ofOwner.set(name, entry);
    this.#subjects += 1;
    return entry;
  }
}

/** An entry of an action on a source names the source, which was created earlier. */
function isNew(createdAt: string): boolean {
  return Math.abs(Date.now() - Date.parse(createdAt)) < 10 * 60_000;
}

function serialize(row: UsageRow): UsageDay {
  const { day, key_id, project_id, computers, computer_ms, actions, bytes } = row;
  const key =
    key_id === OTHERS
      ? { id: key_id, name: OTHERS, deleted: false }
      : { id: key_id, name: row.key_name, deleted: row.key_deleted === 1 };
  const project = { id: project_id, name: row.project_name, deleted: row.project_deleted === 1 };
  return {
    date: day,
    key,
    project: project_id === '' ? null : project,
    computers,
    computer_seconds: Math.round(computer_ms / 1000),
    actions,
    bytes,
  };
}
