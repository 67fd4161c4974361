import type { Right } from '../../../contract/access/rights.js';

/** Whom what a key did is attributed to: an id, or that of a limited key as `limitedHolder` writes it. */
export type HolderOf = (keyId: string) => string;

const LIMITED = 'limited ';

/** Of all keys that were removed before the service was started. */
const REMOVED = 'removed keys';
/** Removed keys of which the holder is remembered. */
const MOST_REMOVED = 10_000;

interface Key {
  readonly id: string;
  readonly rights: Right;
  readonly project_id: string | null;
  readonly created_by: string | null;
  /** Its holder, if it was made by a limited key that was removed. */
  readonly attributed_to: string | null;
}

/**
 * Attributes what API keys did to holders, among which limits are divided. What a key with fewer
 * rights or for one project did is attributed to the first such key in the chain of those that made
 * it: however many keys it makes, they have its part of a limit. A full key is its own holder.
 * The holder says whether the key was limited, so that this is known when it has been removed. The
 * service itself counts as a limited key, because such keys can cause what it does.
 */
export class KeyHolders {
  readonly #find: (id: string) => Key | undefined;
  readonly #removed = new Map<string, string>();

  constructor(find: (id: string) => Key | undefined) {
    this.#find = find;
  }

  of(id: string): string {
    const key = this.#find(id);
    if (key === undefined) return this.#removed.get(id) ?? limitedHolder(nameOfMissing(id));
    return isLimited(key) ? limitedHolder(this.firstLimited(id)) : id;
  }

  /** The id of the limited key that made this one, itself or through others; else its own id. */
  firstLimited(id: string): string {
    let key = this.#find(id);
    let holder = id;
    while (key !== undefined && isLimited(key)) {
      if (key.attributed_to !== null) return key.attributed_to;
      holder = key.id;
      key = key.created_by === null ? undefined : this.#find(key.created_by);
    }
    return holder;
  }

  /** To be called before a key is removed. */
  removing(key: Key): void {
    this.#removed.set(key.id, this.of(key.id));
    const [oldest] = this.#removed.keys();
    if (oldest !== undefined && this.#removed.size > MOST_REMOVED) this.#removed.delete(oldest);
  }
}

function nameOfMissing(id: string): string {
  // The service itself has no key, and an id of its own.
  return id.startsWith('key_') ? REMOVED : id;
}

export function limitedHolder(keyId: string): string {
  return `${LIMITED}${keyId}`;
}

export function isLimitedHolder(holder: string): boolean {
  return holder.startsWith(LIMITED);
}

/** Whether the key lacks a right or a project of its owner. */
export function isLimited({ rights, project_id }: Pick<Key, 'rights' | 'project_id'>): boolean {
  return rights !== 'manage' || project_id !== null;
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
