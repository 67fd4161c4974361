import type { Delivery } from '../../contract/resources.js';
import type { Db } from './database.js';
import type { SecretBox } from './secret-box.js';

/** A webhook. Its URL and secret are in `sealed`, encrypted. */
export interface WebhookRecord {
  readonly id: string;
  readonly owner_id: string;
  readonly sealed: string;
  /** Patterns of types: JSON. */
  readonly events: string;
  /** Id of the last event that has a delivery, or needs none. */
  readonly position: number;
  /** 1 when the target does not want events any more. */
  readonly disabled: number;
  readonly created_at: string;
}

/** The encrypted part of a webhook. */
export interface WebhookSecret {
  readonly url: string;
  readonly secret: string;
}

export type DeliveryRecord = Omit<Delivery, 'status'> & {
  readonly state: Delivery['status'];
  readonly seq: number;
  readonly webhook_id: string;
  /** What is posted. */
  readonly body: string;
};

/** What an attempt has changed. */
export type DeliveryResult = Pick<
  DeliveryRecord,
  'state' | 'attempts' | 'status_code' | 'error' | 'next_attempt_at'
>;

/** Deliveries of a webhook that are kept once they are done. */
const KEPT = 100;

/** Webhooks of owners, and their deliveries. */
export function webhookStore(db: Db, secretBox: SecretBox) {
  const insert = db.prepare(
    `INSERT INTO webhooks (id, owner_id, sealed, events, position, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const find = db.prepare('SELECT * FROM webhooks WHERE id = ?');
  const list = db.prepare('SELECT * FROM webhooks WHERE owner_id = ? ORDER BY created_at, id');
  const all = db.prepare('SELECT * FROM webhooks');
  const remove = db.prepare('DELETE FROM webhooks WHERE id = ?');
  const move = db.prepare('UPDATE webhooks SET position = ? WHERE id = ?');
  const disable = db.prepare('UPDATE webhooks SET disabled = 1 WHERE id = ?');
  const add = db.prepare(
    `INSERT INTO deliveries (id, webhook_id, type, at, body, state, next_attempt_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const byId = db.prepare('SELECT * FROM deliveries WHERE seq = ?');
  const newest = db.prepare(
    `SELECT * FROM deliveries WHERE webhook_id = ? ORDER BY seq DESC LIMIT ${2 * KEPT}`,
  );
  const next = db.prepare(
    `SELECT * FROM deliveries WHERE webhook_id = ? AND state = 'pending'
     ORDER BY next_attempt_at, seq LIMIT 1`,
  );
  const pending = db.prepare(
    "SELECT count(*) AS count FROM deliveries WHERE webhook_id = ? AND state = 'pending'",
  );
  const set = db.prepare(
    `UPDATE deliveries SET state = :state, attempts = :attempts, status_code = :status_code,
       error = :error, next_attempt_at = :next_attempt_at WHERE seq = :seq`,
  );
  const giveUp = db.prepare(
    `UPDATE deliveries SET state = 'failed', next_attempt_at = NULL
     WHERE webhook_id = ? AND state = 'pending'`,
  );
  const tidy = db.prepare(
    `DELETE FROM deliveries WHERE webhook_id = :webhook AND state <> 'pending' AND seq <=
       (SELECT seq FROM deliveries WHERE webhook_id = :webhook AND state <> 'pending'
          ORDER BY seq DESC LIMIT 1 OFFSET ${KEPT})`,
  );

  return {
    insert(
      row: Pick<WebhookRecord, 'id' | 'owner_id' | 'position'>,
      secret: WebhookSecret,
      events: readonly string[],
    ): WebhookRecord {
      const sealed = secretBox.seal(JSON.stringify(secret), context(row));
      const now = new Date().toISOString();
      insert.run(row.id, row.owner_id, sealed, JSON.stringify(events), row.position, now);
      return find.get(row.id) as WebhookRecord;
    },
    find: (id: string) => find.get(id) as WebhookRecord | undefined,
    /** The oldest first. */
    list: (ownerId: string) => list.all(ownerId) as WebhookRecord[],
    /** Those of all owners that are not disabled. */
    listActive: () => (all.all() as WebhookRecord[]).filter(({ disabled }) => disabled === 0),
    remove: (id: string) => void remove.run(id),
    /** Undefined when the key that it was encrypted with is gone. */
    open(record: WebhookRecord): WebhookSecret | undefined {
      const text = secretBox.open(record.sealed, context(record));
      return text === undefined ? undefined : (JSON.parse(text) as WebhookSecret);
    },
    /** Events up to this one have a delivery, or need none. */
    setPosition: (id: string, position: number) => void move.run(position, id),
    /** Nothing more is sent to it. */
    disable(id: string): void {
      disable.run(id);
      giveUp.run(id);
    },
    /** Writes a delivery; one that is pending is due at once. */
    add(
      webhookId: string,
      { id, type, at, body, state }: Pick<DeliveryRecord, 'id' | 'type' | 'at' | 'body' | 'state'>,
    ): DeliveryRecord {
      const due = state === 'pending' ? new Date().toISOString() : null;
      const { lastInsertRowid } = add.run(id, webhookId, type, at, body, state, due);
      return byId.get(lastInsertRowid) as DeliveryRecord;
    },
    /** The newest first, with all that are pending. */
    deliveries: (webhookId: string) => newest.all(webhookId) as DeliveryRecord[],
    /** The pending delivery that is due first. */
    next: (webhookId: string) => next.get(webhookId) as DeliveryRecord | undefined,
    countPending: (webhookId: string) => (pending.get(webhookId) as { count: number }).count,
    /**
     * Writes the result of an attempt, and drops the oldest deliveries that are done. Undefined for one that
     * is gone.
     */
    setResult(
      { seq, webhook_id }: Pick<DeliveryRecord, 'seq' | 'webhook_id'>,
      result: DeliveryResult,
    ): DeliveryRecord | undefined {
      const { state, attempts, status_code, error, next_attempt_at } = result;
      set.run({ seq, state, attempts, status_code, error, next_attempt_at });
      // Read first: after many attempts it may be among the oldest itself.
      const written = byId.get(seq) as DeliveryRecord | undefined;
      if (state !== 'pending') tidy.run({ webhook: webhook_id });
      return written;
    },
  };
}

/** A sealed text that is moved to another row does not open there. */
function context({ owner_id, id }: Pick<WebhookRecord, 'owner_id' | 'id'>): string {
  return `webhook ${owner_id} ${id}`;
}
