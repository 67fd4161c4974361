import { ApiError } from '../../contract/errors.js';
import { isDiskFull } from '../../lib/fs/disk-reserve.js';
import { generateId, generateSecret, hashApiKey } from '../computers/ids.js';
import type { Store } from '../store/index.js';
import type { ApiKeys, Owner } from './api-keys.js';

interface OneTimeOptions<T> {
  readonly lifeMs: number;
  /** Entries of one owner; beyond it the oldest is dropped. */
  readonly most: number;
  /** A monotonic clock in milliseconds. */
  now(): number;
  /** Called for each that was dropped or has expired, but not for one that was taken. */
  ended(value: T): void;
}

interface Entry<T> {
  readonly owner: Owner;
  readonly value: T;
  readonly expiresAt: number;
  readonly timer: NodeJS.Timeout;
}

/** Values behind secrets, by the hashes of these: bounded per owner, and each for a limited time. */
class OneTime<T> {
  readonly #options: OneTimeOptions<T>;
  /** The oldest first. */
  readonly #entries = new Map<string, Entry<T>>();

  constructor(options: OneTimeOptions<T>) {
    this.#options = options;
  }

  /** For `lifeMs` at most. */
  add(hash: string, owner: Owner, value: T, lifeMs = this.#options.lifeMs): void {
    const { most, now } = this.#options;
    const timer = setTimeout(() => this.#drop(hash), lifeMs).unref();
    this.#entries.set(hash, { owner, value, timer, expiresAt: now() + lifeMs });
    const own = [...this.#entries].filter(([, entry]) => entry.owner.id === owner.id);
    for (const [name] of own.slice(0, Math.max(0, own.length - most))) this.#drop(name);
  }

  get(hash: string): T | undefined {
    const entry = this.#entries.get(hash);
    if (entry === undefined || entry.expiresAt > this.#options.now()) return entry?.value;
    this.#drop(hash);
    return undefined;
  }

  /** The value, which is gone then. */
  take(hash: string): T | undefined {
    const value = this.get(hash);
    clearTimeout(this.#entries.get(hash)?.timer);
    this.#entries.delete(hash);
    return value;
  }

  find(matches: (value: T) => boolean): T | undefined {
    return [...this.#entries.values()].map(({ value }) => value).find(matches);
  }

  dropWhere(matches: (value: T) => boolean): void {
    for (const [hash, { value }] of this.#entries) if (matches(value)) this.#drop(hash);
  }

  #drop(hash: string): void {
    const entry = this.#entries.get(hash);
    if (entry === undefined) return;
    clearTimeout(entry.timer);
    this.#entries.delete(hash);
    this.#options.ended(entry.value);
  }
}

/** Lifetime of a login link and of a session, in milliseconds. */
const LOGIN_MS = 5 * 60_000;
const SESSION_MS = 8 * 60 * 60_000;
/** Open links and sessions of an owner. */
const MOST_LOGINS = 16;
const MOST_SESSIONS = 64;

/** An open session of the web page. */
export interface OpenSession {
  readonly id: string;
  readonly owner: Owner;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** How a session is opened: with a link or with a key. */
interface OpenOptions {
  readonly login?: string | undefined;
  readonly key?: string | undefined;
  /** The secret of the browser's session so far. */
  readonly present?: string | undefined;
}

/**
 * Login links and sessions of the web page, by the hashes of their secrets. Sessions are stored and
 * survive a restart of the service; links do not. A session has the rights of the key that it was
 * opened with, and ends with it.
 */
export class Sessions {
  readonly #store: Store;
  readonly #apiKeys: ApiKeys;
  readonly #logins: OneTime<Owner>;
  readonly #sessions: OneTime<OpenSession>;

  /** `now` is a monotonic clock in milliseconds: the wall clock may jump. */
  constructor(store: Store, apiKeys: ApiKeys, now: () => number = () => performance.now()) {
    this.#store = store;
    this.#apiKeys = apiKeys;
    const shared = { now };
    const logins = { lifeMs: LOGIN_MS, most: MOST_LOGINS, ended: () => {} };
    this.#logins = new OneTime({ ...shared, ...logins });
    const ended = ({ id }: OpenSession) => {
      apiKeys.endSession(id);
      // If the disk is full, it stays stored until it expires.
      ignoreFullDisk(() => store.sessions.remove(id));
    };
    this.#sessions = new OneTime({ ...shared, lifeMs: SESSION_MS, most: MOST_SESSIONS, ended });
    apiKeys.onRemoved((keyId) => {
      this.#logins.dropWhere((owner) => owner.keyId === keyId);
      const isOver = !apiKeys.isValid({ id: '', keyId });
      if (isOver) this.#sessions.dropWhere(({ owner }) => owner.keyId === keyId);
    });
    this.#restore();
  }

  /** Issues a single-use link for the owner's key. Its text is not stored. */
  issueLogin({ id, keyId, projectId }: Owner): { readonly text: string; readonly expiresAt: Date } {
    const text = generateSecret('vl');
    // Without the session's id: the link may outlive the session.
    const owner = { id, keyId, projectId };
    this.#logins.add(hashApiKey(text), owner, owner);
    return { text, expiresAt: new Date(Date.now() + LOGIN_MS) };
  }

  /** The owner of a link, which stays unused; undefined if the link does not work. */
  ownerOfLogin(login: string): Owner | undefined {
    const owner = this.#logins.get(hashApiKey(login));
    return owner !== undefined && this.#apiKeys.isValid(owner) ? owner : undefined;
  }

  /**
   * Opens a session with a link, which is used up, or with a key. If `present` is the secret of an open
   * session of the same key, that session continues, with a new time limit. Throws `unauthorized`.
   */
  open({ login, key, present }: OpenOptions): {
    readonly secret: string;
    readonly session: OpenSession;
  } {
    const owner = login === undefined ? this.#apiKeys.authenticate(key ?? '') : this.#take(login);
    if (owner === undefined) {
      const message = 'This API key is not valid: it is mistyped, was revoked, or has expired.';
      throw new ApiError('unauthorized', message, { remedy: 'Create a key: vc key create NAME' });
    }
    const known = present === undefined ? undefined : this.#takeOf(owner.keyId, present);
    const secret = known === undefined ? generateSecret('vs') : (present ?? '');
    const id = known?.id ?? generateId('ses');
    const createdAt = known?.createdAt ?? new Date();
    const expiresAt = new Date(Date.now() + SESSION_MS);
    const session = { id, owner: { ...owner, sessionId: id }, createdAt, expiresAt };
    const hash = hashApiKey(secret);
    this.#apiKeys.startSession(id);
    this.#sessions.add(hash, owner, session);
    // If the disk is full, it ends with the service: people may have to log in to free space.
    ignoreFullDisk(() =>
      this.#store.sessions.insert({
        id,
        hash,
        key_id: owner.keyId,
        created_at: createdAt.toISOString(),
        expires_at: expiresAt.toISOString(),
      }),
    );
    return { secret, session };
  }

  /** The session of a cookie's secret; undefined if it or its key has ended. */
  find(secret: string): OpenSession | undefined {
    const session = this.#sessions.get(hashApiKey(secret));
    if (session === undefined || !this.#apiKeys.isValid(session.owner)) return undefined;
    this.#apiKeys.touch(session.owner.keyId);
    return session;
  }

  /** By its id. */
  byId(id: string): OpenSession | undefined {
    return this.#sessions.find((session) => session.id === id);
  }

  end(id: string): void {
    this.#sessions.dropWhere((session) => session.id === id);
  }

  /** Reopens the sessions that were open when the service ended. */
  #restore(): void {
    for (const { id, hash, key_id, created_at, expires_at } of this.#store.sessions.list()) {
      // A wall clock that was set back does not extend a session.
      const now = Date.now();
      const left = Math.min(Date.parse(expires_at) - now, SESSION_MS);
      const key = this.#store.keys.find(key_id);
      if (left <= 0 || key === undefined) {
        ignoreFullDisk(() => this.#store.sessions.remove(id));
        continue;
      }
      const owner = {
        id: key.owner_id,
        keyId: key_id,
        projectId: key.project_id ?? undefined,
        sessionId: id,
      };
      const createdAt = new Date(created_at);
      const expiresAt = new Date(now + left);
      this.#apiKeys.startSession(id);
      this.#sessions.add(hash, owner, { id, owner, createdAt, expiresAt }, left);
    }
  }

  /** Takes the session of a secret out of the table, if it belongs to the key. */
  #takeOf(keyId: string, secret: string): OpenSession | undefined {
    const hash = hashApiKey(secret);
    if (this.#sessions.get(hash)?.owner.keyId !== keyId) return undefined;
    const session = this.#sessions.take(hash);
    if (session !== undefined) ignoreFullDisk(() => this.#store.sessions.remove(session.id));
    return session;
  }

  #take(login: string): Owner {
    const owner = this.#logins.take(hashApiKey(login));
    if (owner !== undefined && this.#apiKeys.isValid(owner)) return owner;
    throw new ApiError('unauthorized', 'This link has been used or has expired.', {
      remedy: 'Get a new one: vc dashboard',
    });
  }
}

/** Runs a write whose loss the service can tolerate. */
function ignoreFullDisk(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}
