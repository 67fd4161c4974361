import type { Db } from './database.js';
import { inTransaction } from './transaction.js';

export interface ActionRow {
  readonly at: string;
  readonly owner_id: string;
  readonly computer_id: string;
  readonly key_id: string;
  readonly action: string;
  /** A JSON object of numbers and short words. */
  readonly detail: string;
  readonly outcome: string;
  readonly ms: number;
}

/** The ledger's rows: added, read, and dropped when they are old; never changed. */
export function actionStore(db: Db) {
  const insert = db.prepare(
    `INSERT INTO actions (at, owner_id, computer_id, key_id, action, detail, outcome, ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const list = db.prepare(
    'SELECT * FROM actions WHERE computer_id = ? AND id < ? ORDER BY id DESC LIMIT ?',
  );
  const dropBefore = db.prepare('DELETE FROM actions WHERE at < ?');

  return {
    /** Adds rows in one transaction. */
    append: (rows: readonly ActionRow[]) =>
      inTransaction(db, () => {
        for (const row of rows) {
          insert.run(
            row.at,
            row.owner_id,
            row.computer_id,
            row.key_id,
            row.action,
            row.detail,
            row.outcome,
            row.ms,
          );
        }
      }),
    list: (computerId: string, before: number, limit: number) =>
      list.all(computerId, before, limit) as (ActionRow & { readonly id: number })[],
    dropBefore: (at: string) => dropBefore.run(at),
  };
}

export type ActionStore = ReturnType<typeof actionStore>;
