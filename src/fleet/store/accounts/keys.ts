import type { Right } from '../../../contract/access/rights.js';
import type { CreatedKey } from '../../../contract/resources.js';
import { generateId, hashApiKey } from '../../computers/ids.js';
import type { Db } from '../database.js';
import type { KeyBudgets, KeyRecord } from '../records.js';
import { inTransaction } from '../transaction.js';

/** A key as every request needs it. */
export interface CachedKey
  extends Pick<
    KeyRecord,
    | 'id'
    | 'owner_id'
    | 'name'
    | 'hash'
    | 'rights'
    | 'project_id'
    | 'created_by'
    | 'maker'
    | keyof KeyBudgets
  > {
  /** In milliseconds of the wall clock; Infinity for never. */
  readonly expiresAt: number;
}

/** What a key has used since it was created. */
export interface KeyUsage {
  readonly used_computers: number;
  /** Milliseconds in which computers that it has created ran, added up. */
  readonly used_ms: number;
  readonly used_actions: number;
}

/** A key with the name of its project. */
export type ListedKey = KeyRecord & { readonly project_name: string | null };

/** What a new key is. The caller generated its text. */
export interface NewKey extends Partial<KeyBudgets> {
  readonly name: string;
  readonly text: string;
  readonly rights: Right;
  readonly project: { readonly id: string; readonly name: string } | null;
  readonly expires_at: string | null;
  readonly created_by: string | null;
}

/** Characters of a key that are stored as they are, so that its owner can tell keys apart. */
const PREFIX_LENGTH = 7;

/**
 * API keys. A key itself is never stored, only its hash and its first characters. `onRenamed` is called
 * after each change of a name, which the computers that it created have as well.
 */
export function keyStore(db: Db, onRenamed: (key: CachedKey) => void) {
  const insert = db.prepare(
    `INSERT INTO keys (id, owner_id, name, hash, created_at, created_by, maker, rights, project_id,
       expires_at, prefix, max_computers, max_hours, max_actions)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = db.prepare(
    `UPDATE keys SET name = ?, rights = ?, expires_at = ?, max_computers = ?, max_hours = ?,
       max_actions = ? WHERE id = ?`,
  );
  const used = db.prepare('SELECT used_computers, used_ms, used_actions FROM keys WHERE id = ?');
  const use = db.prepare(
    `UPDATE keys SET used_computers = used_computers + ?, used_ms = used_ms + ?,
       used_actions = used_actions + ? WHERE id = ?`,
  );
  const touch = db.prepare('UPDATE keys SET last_used_at = ? WHERE id = ?');
  const list = db.prepare(
    `SELECT keys.*, projects.name AS project_name FROM keys
       LEFT JOIN projects ON projects.id = keys.project_id
     WHERE keys.owner_id = ? ORDER BY keys.created_at, keys.id`,
  );
  const remove = db.prepare('DELETE FROM keys WHERE owner_id = ? AND id = ?');
  const outlive = db.prepare('UPDATE keys SET maker = ? WHERE id = ?');

  /**
   * Every key by its hash and by its id. Always current: this process is the only writer, and keys
   * are added after, and removed with, their rows.
   */
  const byHash = new Map<string, CachedKey>();
  const byId = new Map<string, CachedKey>();

  function remember(row: Omit<CachedKey, 'expiresAt'> & Pick<KeyRecord, 'expires_at'>): CachedKey {
    const { id, owner_id, name, hash, rights, project_id, expires_at } = row;
    const { created_by, maker, max_computers, max_hours, max_actions } = row;
    const expiresAt = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
    const budgets = { max_computers, max_hours, max_actions };
    const known = { id, owner_id, name, hash, rights, project_id, created_by, maker };
    const key = { ...known, ...budgets, expiresAt };
    store(key);
    return key;
  }
  function store(key: CachedKey): void {
    byHash.set(key.hash, key);
    byId.set(key.id, key);
  }
  function forget(keys: readonly CachedKey[]): void {
    for (const { hash, id } of keys) {
      byHash.delete(hash);
      byId.delete(id);
    }
  }
  for (const row of db.prepare('SELECT * FROM keys').all()) remember(row as KeyRecord);

  return {
    /** Writes a key; it takes effect when `remember` is called, after the transaction. */
    insert(ownerId: string, key: NewKey): { created: CreatedKey; remember(): void } {
      const { name, text, rights, project, expires_at, created_by } = key;
      const { max_computers = null, max_hours = null, max_actions = null } = key;
      const budgets = { max_computers, max_hours, max_actions };
      const [id, hash, created_at] = [
        generateId('key'),
        hashApiKey(text),
        new Date().toISOString(),
      ];
      const prefix = text.slice(0, PREFIX_LENGTH);
      const project_id = project?.id ?? null;
      insert.run(
        id,
        ownerId,
        name,
        hash,
        created_at,
        created_by,
        created_by,
        rights,
        project_id,
        expires_at,
        prefix,
        max_computers,
        max_hours,
        max_actions,
      );
      return {
        created: {
          id,
          name,
          prefix,
          rights,
          project,
          expires_at,
          created_at,
          last_used_at: null,
          created_by,
          ...budgets,
          used: { computers: 0, hours: 0, actions: 0 },
          key: text,
        },
        remember: () =>
          void remember({
            id,
            owner_id: ownerId,
            name,
            hash,
            rights,
            project_id,
            expires_at,
            created_by,
            maker: created_by,
            ...budgets,
          }),
      };
    },
    findByHash: (hash: string) => byHash.get(hash),
    /** Undefined for one that was removed. */
    find: (id: string) => byId.get(id),
    touch: (id: string) => touch.run(new Date().toISOString(), id),
    /** The oldest first. */
    list: (ownerId: string) => list.all(ownerId) as ListedKey[],
    /** Those of all owners. */
    listAll: (): readonly CachedKey[] => [...byId.values()],
    update(id: string, next: Pick<KeyRecord, 'name' | 'rights' | 'expires_at' | keyof KeyBudgets>) {
      const { name, rights, expires_at, max_computers, max_hours, max_actions } = next;
      update.run(name, rights, expires_at, max_computers, max_hours, max_actions, id);
      const key = byId.get(id);
      if (key === undefined) return;
      onRenamed(key);
      const budgets = { max_computers, max_hours, max_actions };
      remember({ ...key, name, rights, expires_at, ...budgets });
    },
    /** What it has used since it was created; undefined for one that was removed. */
    used: (id: string) => used.get(id) as KeyUsage | undefined,
    /** Adds to what it has used. */
    use(id: string, { used_computers = 0, used_ms = 0, used_actions = 0 }: Partial<KeyUsage>) {
      use.run(used_computers, used_ms, used_actions, id);
    },
    remove(ownerId: string, id: string): void {
      const key = byId.get(id);
      if (key?.owner_id !== ownerId) return;
      // Keys that it has made remain, as keys of its own maker.
      const made = [...byId.values()]
        .filter(({ maker }) => maker === id)
        .map((each) => ({ ...each, maker: key.maker }));
      inTransaction(db, () => {
        for (const each of made) outlive.run(each.maker, each.id);
        remove.run(ownerId, id);
      });
      for (const each of made) store(each);
      forget([key]);
    },
    /** Forgets the keys whose rows were removed with their owner or project; returns their ids. */
    forgetWhere(matches: (key: CachedKey) => boolean): string[] {
      const gone = [...byId.values()].filter(matches);
      forget(gone);
      return gone.map(({ id }) => id);
    },
  };
}

export type KeyStore = ReturnType<typeof keyStore>;

/** Whether the key lacks a right or a project of its owner, or has a budget. */
export function isLimited(
  key: Pick<KeyRecord, 'rights' | 'project_id' | keyof KeyBudgets>,
): boolean {
  return key.rights !== 'manage' || key.project_id !== null || hasBudget(key);
}

/** Whether anything is limited that the key uses in all. */
export function hasBudget({ max_computers, max_hours, max_actions }: KeyBudgets): boolean {
  return max_computers !== null || max_hours !== null || max_actions !== null;
}

/** Those of an owner's keys that the key `id` has made, itself or through others that may be gone. */
export function madeBy<K extends { readonly id: string; readonly maker: string | null }>(
  id: string,
  keys: readonly K[],
): K[] {
  const makers = new Map(keys.map((key) => [key.id, key.maker]));
  return keys.filter((key) => {
    // Not in a circle, which only a damaged database has.
    const seen = new Set<string>();
    let { maker } = key;
    while (maker !== null && maker !== id && !seen.has(maker)) {
      seen.add(maker);
      maker = makers.get(maker) ?? null;
    }
    return maker === id;
  });
}
