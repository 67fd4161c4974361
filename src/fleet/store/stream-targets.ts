import type { Db } from './database.js';
import type { StreamTargetRecord } from './records.js';
import type { SecretBox } from './secret-box.js';

/** The encrypted part of a stream target. */
export interface StreamTargetSecret {
  readonly url: string;
  readonly stream_key?: string;
}

export function streamTargetStore(db: Db, secretBox: SecretBox) {
  const insert = db.prepare(
    'INSERT INTO connections (owner_id, name, sealed, created_at) VALUES (?, ?, ?, ?)',
  );
  const find = db.prepare('SELECT * FROM connections WHERE owner_id = ? AND name = ?');
  const list = db.prepare('SELECT * FROM connections WHERE owner_id = ? ORDER BY name');
  const remove = db.prepare('DELETE FROM connections WHERE owner_id = ? AND name = ?');

  return {
    insert(ownerId: string, name: string, secret: StreamTargetSecret): void {
      const sealed = secretBox.seal(JSON.stringify(secret), context(ownerId, name));
      insert.run(ownerId, name, sealed, new Date().toISOString());
    },
    find: (ownerId: string, name: string) =>
      find.get(ownerId, name) as StreamTargetRecord | undefined,
    list: (ownerId: string) => list.all(ownerId) as StreamTargetRecord[],
    remove: (ownerId: string, name: string) => remove.run(ownerId, name).changes > 0,
    /** Undefined when the key that it was encrypted with is gone. */
    open({ owner_id, name, sealed }: StreamTargetRecord): StreamTargetSecret | undefined {
      const text = secretBox.open(sealed, context(owner_id, name));
      return text === undefined ? undefined : (JSON.parse(text) as StreamTargetSecret);
    },
  };
}

/** A sealed text that is moved to another row does not open there. */
function context(ownerId: string, name: string): string {
  return `connection ${ownerId} ${name}`;
}
