import { isLimitedHolder } from '../accounts/key-holders.js';
import type { Db } from '../database.js';
import { divideExcess } from '../limits/excess.js';
import { limitedShare } from '../limits/shares.js';

/**
 * Most rows of the audit log that keys with all rights have. Limited keys have their share besides. A
 * row takes about 500 bytes of the disk, indexes included.
 */
export interface AuditLimits {
  readonly ofOwner: number;
  readonly inAll: number;
  /** Rows that are dropped in addition, so that not every new row drops one. */
  readonly block: number;
}

export const AUDIT_LIMITS: AuditLimits = { ofOwner: 200_000, inAll: 1_000_000, block: 500 };

/** Rows that are dropped at once, while all else of the service waits; the others with later rows. */
const MOST_DROPPED = 1_000;

/** Whose a row is. */
export interface RowHolder {
  readonly owner_id: string;
  /** The API key to which it is attributed. */
  readonly holder: string;
}

/** Rows of an owner, in all and by holder. */
interface Counts {
  total: number;
  readonly holders: Map<string, number>;
}

/** Rows by owner: those of keys with all rights, or those of limited keys. */
type Owners = Map<string, Counts>;

/** The rows of one kind of keys, and their limits. */
interface Kind {
  readonly owners: Owners;
  readonly ofHolder: number;
  readonly ofOwner: number;
  readonly inAll: number;
}

interface Kinds {
  readonly full: Kind;
  readonly limited: Kind;
}

/** Counts the rows of each owner and holder, and drops the oldest ones beyond the limits. */
export class AuditRowLimiter {
  readonly #limits: AuditLimits;
  readonly #rows: () => (RowHolder & { rows: number })[];
  readonly #drop: (ownerId: string, holder: string, rows: number) => unknown;
  /** Counted by the database; undefined when that has to be done again. */
  #counts: Kinds | undefined;

  constructor(db: Db, limits: AuditLimits) {
    this.#limits = limits;
    const count = db.prepare(
      'SELECT owner_id, holder, count(*) AS rows FROM actions GROUP BY owner_id, holder',
    );
    const drop = db.prepare(
      `DELETE FROM actions WHERE id IN
         (SELECT id FROM actions WHERE owner_id = ? AND holder = ? ORDER BY id LIMIT ?)`,
    );
    this.#rows = () => count.all() as (RowHolder & { rows: number })[];
    this.#drop = (ownerId, holder, rows) => drop.run(ownerId, holder, rows);
    this.#counts = this.#countRows();
  }

  /** Forgets the counts: rows were dropped, or a transaction was rolled back. */
  reset(): void {
    this.#counts = undefined;
  }

  /**
   * Drops rows beyond the limits, after these rows were added. Rows of keys with all rights are counted
   * by themselves, and so are those of limited keys: neither drop any of the others. Of each, the
   * owners with the most rows lose some, and of these owners the holders with the most, the oldest
   * first: a flood drops its own rows.
   */
  added(rows: readonly RowHolder[]): void {
    const kinds = this.#counted(rows);
    let left = MOST_DROPPED;
    for (const kind of [kinds.full, kinds.limited]) {
      const added = rows.filter((row) => kindOf(kinds, row) === kind);
      if (added.length > 0) left -= this.#cut(kind, added, left);
    }
  }

  /** These rows were dropped, being old. */
  removed(rows: readonly RowHolder[]): void {
    if (this.#counts === undefined) return;
    for (const row of rows) count(kindOf(this.#counts, row).owners, row, -1);
  }

  /** Drops at most so many rows; returns how many. */
  #cut({ owners, ...limits }: Kind, rows: readonly RowHolder[], most: number): number {
    let left = most;
    /** How many are to be dropped of so many, and counts them as dropped. */
    const beyond = (total: number, limit: number) => {
      const dropped = total > limit ? Math.min(total - limit + this.#limits.block, left) : 0;
      left -= dropped;
      return dropped;
    };
    for (const row of rows) {
      const own = owners.get(row.owner_id)?.holders.get(row.holder) ?? 0;
      const dropped = beyond(own, limits.ofHolder);
      if (dropped > 0) this.#dropOfHolder(owners, row, dropped);
    }
    for (const id of new Set(rows.map(({ owner_id }) => owner_id))) {
      this.#dropOldest(owners, id, beyond(owners.get(id)?.total ?? 0, limits.ofOwner));
    }
    const totals = [...owners].map(([id, { total }]) => [id, total] as const);
    const inAll = totals.reduce((sum, [, total]) => sum + total, 0);
    for (const [id, excess] of divideExcess(totals, beyond(inAll, limits.inAll))) {
      this.#dropOldest(owners, id, excess);
    }
    return most - left;
  }

  /** The counts after the addition: the database has counted the new rows already. */
  #counted(rows: readonly RowHolder[]): Kinds {
    if (this.#counts === undefined) {
      this.#counts = this.#countRows();
      return this.#counts;
    }
    for (const row of rows) count(kindOf(this.#counts, row).owners, row, 1);
    return this.#counts;
  }

  #countRows(): Kinds {
    const { ofOwner, inAll } = this.#limits;
    const { ofOne, ofAll } = limitedShare(ofOwner);
    const ofLimited = { ofHolder: ofOne, ofOwner: ofAll, inAll: limitedShare(inAll).ofAll };
    const kinds: Kinds = {
      full: { owners: new Map(), ofHolder: ofOwner, ofOwner, inAll },
      limited: { owners: new Map(), ...ofLimited },
    };
    for (const row of this.#rows()) count(kindOf(kinds, row).owners, row, row.rows);
    return kinds;
  }

  #dropOldest(owners: Owners, ownerId: string, excess: number): void {
    const holders = owners.get(ownerId)?.holders ?? [];
    for (const [holder, rows] of divideExcess(holders, excess)) {
      this.#dropOfHolder(owners, { owner_id: ownerId, holder }, rows);
    }
  }

  #dropOfHolder(owners: Owners, row: RowHolder, rows: number): void {
    this.#drop(row.owner_id, row.holder, rows);
    count(owners, row, -rows);
  }
}

function kindOf({ full, limited }: Kinds, { holder }: RowHolder): Kind {
  return isLimitedHolder(holder) ? limited : full;
}

function count(owners: Owners, { owner_id, holder }: RowHolder, rows: number): void {
  const counts = owners.get(owner_id) ?? { total: 0, holders: new Map() };
  owners.set(owner_id, counts);
  counts.total += rows;
  const left = (counts.holders.get(holder) ?? 0) + rows;
  if (left <= 0) counts.holders.delete(holder);
  else counts.holders.set(holder, left);
}
