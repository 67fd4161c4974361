import { timingSafeEqual } from 'node:crypto';
import type { Right } from '../../contract/access/rights.js';
import { ApiError } from '../../contract/errors.js';
import { generateApiKey, hashApiKey } from '../computers/ids.js';
import type { CachedKey } from '../store/accounts/keys.js';
import type { Store } from '../store/index.js';
import { OpenUses } from './open-uses.js';

/** The owner of a request, and the key that authenticated it. */
export interface Owner {
  readonly id: string;
  readonly keyId: string;
  /** The only project that the key is for; undefined for all. Others look like missing ones. */
  readonly projectId?: string | undefined;
  /** The session of the web page that the request belongs to, if it has one. */
  readonly sessionId?: string | undefined;
  /** Of a request of a key with a budget: to call when its action is counted. */
  readonly actionCounted?: (() => void) | undefined;
}

/** The owner of a request, with the key as it was read for it. */
export interface Identity {
  readonly owner: Owner;
  readonly key: CachedKey;
}

/** A key's last use is stored at most this often. */
const TOUCH_EVERY_MS = 60_000;

/** Which API keys and sessions are valid, and what ends with them. */
export class ApiKeys {
  readonly #store: Store;
  readonly #touched = new Map<string, number>();
  readonly #removed: ((keyId: string) => void)[] = [];
  readonly #sessions = new Set<string>();
  #changes = 0;
  readonly #uses = new OpenUses((id) => !this.#sessions.has(id) && this.#current(id) === undefined);

  constructor(store: Store) {
    this.#store = store;
    store.projects.onRemoved((projectId) => {
      const keys = store.keys.forgetWhere((key) => key.project_id === projectId);
      for (const id of keys) this.ended(id);
    });
  }

  /** Called with the id of every key that is deleted, or that has fewer rights than before. */
  onRemoved(listener: (keyId: string) => void): void {
    this.#removed.push(listener);
  }

  /** Grows when a key or session ends, or a key has other rights. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * Calls `end` when the owner's key is deleted or expires, at once if it already has. Used for
   * requests and sockets of the key. Returns a function that removes the listener.
   */
  whileValid(owner: Owner, end: () => void): () => void {
    const key = this.#current(owner.keyId);
    if (key !== undefined && this.#isSessionOpen(owner)) return this.onEnd({ owner, key }, end);
    end();
    return () => undefined;
  }

  /** The same for a key that was just read. */
  onEnd({ owner: { keyId, sessionId }, key }: Identity, end: () => void): () => void {
    const expires = Number.isFinite(key.expiresAt) ? 'sometime' : 'never';
    const forget = this.#uses.add(keyId, end, expires);
    if (sessionId === undefined) return forget;
    const forgetSession = this.#uses.add(sessionId, end, 'never');
    return () => {
      forget();
      forgetSession();
    };
  }

  /** Requests of the session are valid until `endSession`. */
  startSession(id: string): void {
    this.#sessions.add(id);
  }

  /** Ends the requests and sockets of a session. */
  endSession(id: string): void {
    this.#sessions.delete(id);
    this.#changes += 1;
    this.#uses.end(id);
  }

  /** False once the key was deleted or has expired, or the session has ended. */
  isValid(owner: Owner): boolean {
    return this.#current(owner.keyId) !== undefined && this.#isSessionOpen(owner);
  }

  /** What the key may do now; undefined once it was deleted or has expired. Reads no database. */
  rightsOf({ keyId }: Owner): Right | undefined {
    return this.#current(keyId)?.rights;
  }

  /** The name of the owner's key; null for one that was deleted. Reads no database. */
  nameOf({ keyId }: Owner): string | null {
    return this.#store.keys.find(keyId)?.name ?? null;
  }

  /** The key's owner, or undefined for a key that does not exist or has expired. */
  authenticate(key: string): Owner | undefined {
    return this.identify(key)?.owner;
  }

  /** The same with the key. */
  identify(key: string): Identity | undefined {
    const hash = hashApiKey(key);
    const record = this.#store.keys.findByHash(hash);
    if (record === undefined || isOver(record)) return undefined;
    if (!timingSafeEqual(Buffer.from(record.hash, 'hex'), Buffer.from(hash, 'hex')))
      return undefined;
    return this.#used(record);
  }

  /** The owner of a key that was identified before, unless it was deleted or has expired. */
  identifyAgain(keyId: string): Identity | undefined {
    const record = this.#current(keyId);
    return record && this.#used(record);
  }

  #used(key: CachedKey): Identity {
    this.touch(key.id);
    return { owner: ownerOf(key), key };
  }

  /**
   * Creates the first owner, an administrator, and its key unless there is an owner. `publish` stores
   * the key for the user before it takes effect, so that after a crash in between the next start
   * tries again.
   */
  async ensureOwner(publish: (key: string) => Promise<void>): Promise<boolean> {
    if (this.#store.owners.hasOwners()) return false;
    const key = generateApiKey();
    await publish(key);
    const first = { name: 'default', role: 'administrator', max_running: null } as const;
    this.#store.owners.createOwner({ ...first, created_by: null }, key);
    return true;
  }

  /** Ends the requests, sockets and tickets of a key that was removed. */
  ended(id: string): void {
    this.#touched.delete(id);
    this.#ended(id);
  }

  /** The key was used. Stored now and then. */
  touch(keyId: string): void {
    const now = performance.now();
    if (now - (this.#touched.get(keyId) ?? -Infinity) < TOUCH_EVERY_MS) return;
    this.#touched.set(keyId, now);
    try {
      this.#store.keys.touch(keyId);
    } catch {
      // A full disk must not lock owners out: they may need to free space.
    }
  }

  /** The rights of a key were changed: what it has open ends, and the key stays. */
  changed(id: string): void {
    this.#ended(id);
  }

  /** The expiry of a key was changed: what it has open ends then. */
  expiryChanged(): void {
    this.#uses.watch();
  }

  #ended(id: string): void {
    this.#changes += 1;
    for (const listener of this.#removed) listener(id);
    this.#uses.end(id);
  }

  #isSessionOpen({ sessionId }: Owner): boolean {
    return sessionId === undefined || this.#sessions.has(sessionId);
  }

  /** The owner's own key. Throws `unauthorized` if it has ended. */
  own({ keyId }: Owner): CachedKey {
    const key = this.#current(keyId);
    if (key !== undefined) return key;
    throw new ApiError('unauthorized', 'The API key is wrong.');
  }

  /** The key if it exists and has not expired. */
  #current(id: string): CachedKey | undefined {
    const key = this.#store.keys.find(id);
    return key === undefined || isOver(key) ? undefined : key;
  }
}

function ownerOf({ id, owner_id, project_id }: CachedKey): Owner {
  if (project_id === null) return { id: owner_id, keyId: id };
  return { id: owner_id, keyId: id, projectId: project_id };
}

function isOver({ expiresAt }: CachedKey): boolean {
  return expiresAt !== Number.POSITIVE_INFINITY && Date.now() >= expiresAt;
}
