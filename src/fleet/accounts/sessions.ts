import { randomBytes } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';
import { isDiskFull } from '../../lib/fs/disk-reserve.js';
import { generateId, generateSecret, hashApiKey } from '../computers/ids.js';
import type { Store } from '../store/index.js';
import type { ApiKeys, Owner } from './api-keys.js';
import { OneTime } from './one-time.js';

/** Lifetime of a login link and of a session, in milliseconds. */
const LOGIN_MS = 5 * 60_000;
const SESSION_MS = 8 * 60 * 60_000;
/**
 * For so long the secret before a new one of a session still opens it, in milliseconds: other pages of
 * the browser have sent requests before the browser has the new cookie.
 */
const REPLACED_MS = 10_000;
/** Open links and sessions of an owner. */
const MOST_LOGINS = 16;
const MOST_SESSIONS = 64;

/** An open session of the web page. */
export interface OpenSession {
  readonly id: string;
  readonly owner: Owner;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Proves to its page that the service is the one that has opened it. */
  readonly proofKey: Buffer;
  /** It is not stored, because the address of its page ends with the service. */
  readonly endsWithService: boolean;
}

/**
 * Login links and sessions of the web page, by the hashes of their secrets. A restart of the service
 * ends the links, and the sessions of pages without TLS on loopback; those of other pages continue. A
 * session is as good as the key that it was opened with, and ends with it.
 */
export class Sessions {
  readonly #store: Store;
  readonly #apiKeys: ApiKeys;
  readonly #logins: OneTime<Owner>;
  readonly #sessions: OneTime<OpenSession>;
  /** Ids of sessions by the hashes of their secrets before. */
  readonly #replaced: OneTime<string>;

  /** `now` is a monotonic clock in milliseconds: the wall clock may jump. */
  constructor(store: Store, apiKeys: ApiKeys, now: () => number = () => performance.now()) {
    this.#store = store;
    this.#apiKeys = apiKeys;
    const shared = { now };
    const logins = { lifeMs: LOGIN_MS, most: MOST_LOGINS, ended: () => {} };
    this.#logins = new OneTime({ ...shared, ...logins });
    const ended = ({ id }: OpenSession) => {
      apiKeys.endSession(id);
      // One that stays stored on a full disk ends when its time is up.
      ignoreFullDisk(() => store.sessions.remove(id));
    };
    this.#sessions = new OneTime({ ...shared, lifeMs: SESSION_MS, most: MOST_SESSIONS, ended });
    const replaced = { lifeMs: REPLACED_MS, most: MOST_SESSIONS, ended: () => {} };
    this.#replaced = new OneTime({ ...shared, ...replaced });
    apiKeys.onRemoved((keyId) => {
      this.#logins.dropWhere((owner) => owner.keyId === keyId);
      const isOver = !apiKeys.isValid({ id: '', keyId });
      if (isOver) this.#sessions.dropWhere(({ owner }) => owner.keyId === keyId);
    });
    this.#restore();
  }

  /** A link for the owner's key. Its text is not stored. */
  issueLogin({ id, keyId, projectId }: Owner): { readonly text: string; readonly expiresAt: Date } {
    const text = generateSecret('vl');
    // Not the session's: the link may outlive it.
    const owner = { id, keyId, projectId };
    this.#logins.add(hashApiKey(text), owner, owner);
    return { text, expiresAt: new Date(Date.now() + LOGIN_MS) };
  }

  /** Whose key a link is for, which stays unused; undefined for one that does not work. */
  ownerOfLogin(login: string): Owner | undefined {
    const owner = this.#logins.get(hashApiKey(login));
    return owner !== undefined && this.#apiKeys.isValid(owner) ? owner : undefined;
  }

  /**
   * Opens a session with a link, which is used up, or with a key. With the secret of an open session of
   * the same key (`present`) that one continues, with a new secret: what it has open stays, and ends
   * with it, and its old secret works for seconds more. Throws `unauthorized`.
   */
  open(given: {
    readonly login?: string | undefined;
    readonly key?: string | undefined;
    readonly present?: string | undefined;
    /** Added to its secret before that is looked up. */
    readonly holder?: string | undefined;
    /** It is not stored: the address of its page ends with the service. */
    readonly endsWithService?: boolean;
  }): {
    readonly secret: string;
    readonly session: OpenSession;
  } {
    const { login, key, present, holder = '', endsWithService = false } = given;
    const owner = login === undefined ? this.#apiKeys.authenticate(key ?? '') : this.#take(login);
    if (owner === undefined) throw new ApiError('unauthorized', 'The API key is wrong.');
    const secret = generateSecret('vs');
    const continued = this.#takeOf(owner.keyId, present);
    const id = continued?.id ?? generateId('ses');
    const hash = hashApiKey(`${secret}${holder}`);
    const createdAt = new Date();
    const expiresAt = new Date(createdAt.getTime() + SESSION_MS);
    const proofKey = continued?.proofKey ?? randomBytes(32);
    const times = { createdAt, expiresAt };
    const session = {
      ...{ id, owner: { ...owner, sessionId: id }, ...times, proofKey, endsWithService },
    };
    this.#apiKeys.startSession(id);
    this.#sessions.add(hash, owner, session);
    const [created_at, expires_at] = [createdAt.toISOString(), expiresAt.toISOString()];
    if (endsWithService) return { secret, session };
    // On a full disk it ends with the service, too: people may have to free space.
    ignoreFullDisk(() =>
      this.#store.sessions.insert({ id, hash, key_id: owner.keyId, created_at, expires_at }),
    );
    return { secret, session };
  }

  /** The session of a cookie's secret with its holder; undefined if it has ended, or its key has. */
  find(secret: string): OpenSession | undefined {
    const hash = hashApiKey(secret);
    const replaced = this.#replaced.get(hash);
    const session =
      this.#sessions.get(hash) ?? (replaced === undefined ? undefined : this.byId(replaced));
    if (session === undefined || !this.#apiKeys.isValid(session.owner)) return undefined;
    this.#apiKeys.touch(session.owner.keyId);
    return session;
  }

  /** By its id. */
  byId(id: string): OpenSession | undefined {
    return this.#sessions.find((session) => session.id === id);
  }

  /** Ends those of pages whose address another program has. */
  endThoseOfService(): void {
    this.#sessions.dropWhere((session) => session.endsWithService);
  }

  end(id: string): void {
    this.#sessions.dropWhere((session) => session.id === id);
  }

  /** Opens the sessions again that were open when the service ended. */
  #restore(): void {
    for (const { id, hash, key_id, created_at, expires_at } of this.#store.sessions.list()) {
      // A wall clock that was set back makes no session last longer.
      const left = Math.min(Date.parse(expires_at) - Date.now(), SESSION_MS);
      const key = this.#store.keys.find(key_id);
      if (left <= 0 || key === undefined) {
        ignoreFullDisk(() => this.#store.sessions.remove(id));
        continue;
      }
      const { owner_id, project_id } = key;
      const owner = { id: owner_id, keyId: key_id, projectId: project_id ?? undefined };
      const createdAt = new Date(created_at);
      const proofKey = randomBytes(32);
      const parts = { createdAt, proofKey, endsWithService: false };
      const session = { id, owner: { ...owner, sessionId: id }, ...parts };
      this.#apiKeys.startSession(id);
      const expiresAt = new Date(Date.now() + left);
      this.#sessions.add(hash, owner, { ...session, expiresAt }, left);
    }
  }

  /** The session of a secret, which soon no longer opens it, if it is of the key. */
  #takeOf(keyId: string, secret = ''): OpenSession | undefined {
    const hash = hashApiKey(secret);
    if (this.#sessions.get(hash)?.owner.keyId !== keyId) return undefined;
    const session = this.#sessions.take(hash);
    if (session === undefined) return undefined;
    ignoreFullDisk(() => this.#store.sessions.remove(session.id));
    this.#replaced.add(hash, session.owner, session.id);
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

/** Runs a write that the service can do without. */
function ignoreFullDisk(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}
