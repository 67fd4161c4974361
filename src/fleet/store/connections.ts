import type { Db } from './database.js';
import type { ConnectionRecord } from './records.js';
import type { Sealer } from './sealer.js';

/** What of a connection is kept encrypted. */
export interface ConnectionSecret {
  readonly url: string;
  readonly stream_key?: string;
}

export function connectionStore(db: Db, sealer: Sealer) {
  const insert = db.prepare(
    'INSERT INTO connections (owner_id, name, sealed, created_at) VALUES (?, ?, ?, ?)',
  );
  const find = db.prepare('SELECT * FROM connections WHERE owner_id = ? AND name = ?');
  const list = db.prepare('SELECT * FROM connections WHERE owner_id = ? ORDER BY name');
  const remove = db.prepare('DELETE FROM connections WHERE owner_id = ? AND name = ?');

  return {
    insert(ownerId: string, name: string, secret: ConnectionSecret): void {
      const sealed = sealer.seal(JSON.stringify(secret), context(ownerId, name));
      insert.run(ownerId, name, sealed, new Date().toISOString());
    },
    find: (ownerId: string, name: string) =>
      find.get(ownerId, name) as ConnectionRecord | undefined,
    list: (ownerId: string) => list.all(ownerId) as ConnectionRecord[],
    remove: (ownerId: string, name: string) => remove.run(ownerId, name).changes > 0,
    /** Undefined when the key that it was encrypted with is gone. */
    open({ owner_id, name, sealed }: ConnectionRecord): ConnectionSecret | undefined {
      const text = sealer.open(sealed, context(owner_id, name));
      return text === undefined ? undefined : (JSON.parse(text) as ConnectionSecret);
    },
  };
}

/** A sealed text that is moved to another row does not open there. */
function context(ownerId: string, name: string): string {
  return `connection ${ownerId} ${name}`;
}

export type ConnectionStore = ReturnType<typeof connectionStore>;
