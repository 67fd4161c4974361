import { KEY_ID } from '../../contract/constants.js';
import { ApiError } from '../../contract/errors.js';
import type {
  CreatedKey,
  CreateKey,
  Key,
  Me,
  RemovedKey,
  UpdateKey,
} from '../../contract/resources.js';
import { generateApiKey } from '../computers/ids.js';
import type { Budgets } from '../consumption/budgets.js';
import { MOST_NAMES, missing } from '../errors/missing.js';
import { hasBudget, isLimited, type ListedKey, madeBy } from '../store/accounts/keys.js';
import type { Store } from '../store/index.js';
import type { OwnerRecord } from '../store/records.js';
import type { ApiKeys, Owner } from './api-keys.js';
import { expiryOf, refuseMore } from './key-limits.js';

/** API keys of an owner. */
const MOST = 200;
const BUDGETS = ['max_computers', 'max_hours', 'max_actions'] as const;

/** Lists, creates, changes and revokes API keys. */
export class KeyManagement {
  readonly #store: Store;
  readonly #apiKeys: ApiKeys;
  readonly #budgets: Budgets;

  constructor(store: Store, apiKeys: ApiKeys, budgets: Budgets) {
    this.#store = store;
    this.#apiKeys = apiKeys;
    this.#budgets = budgets;
  }

  /** The owner's name and role, and the key that it came with. */
  describe(owner: Owner): Pick<Me, 'user_id' | 'name' | 'role' | 'key'> {
    const { name: ownerName = '', role = 'member' } = this.#store.owners.findOwner(owner.id) ?? {};
    const own = this.#view(this.#find(owner, owner.keyId));
    const { id, name, rights, project, expires_at, used } = own;
    const { max_computers, max_hours, max_actions } = own;
    const budgets = { max_computers, max_hours, max_actions, used };
    const key = { id, name, rights, project, expires_at, ...budgets };
    return { user_id: owner.id, name: ownerName, role, key };
  }

  /** A key for one project sees only keys for it. */
  list(owner: Owner): Key[] {
    return this.#listed(owner).map((key) => this.#view(key));
  }

  /** Creates a key that can do no more, in no more projects and for no longer than the owner's own. */
  create(owner: Owner, input: CreateKey): CreatedKey {
    if (this.#store.keys.list(owner.id).length >= MOST) {
      throw new ApiError('limit_reached', `You have ${MOST} API keys, which is the limit.`, {
        remedy: 'Remove one first: vc key rm ID',
      });
    }
    const expires_at = expiryOf(input.expires_at);
    const project = input.project === null ? null : this.#project(owner, input.project);
    const { name, rights, max_computers, max_hours, max_actions } = input;
    const own = this.#apiKeys.own(owner);
    if (hasBudget(own)) throw budgetForbids('creates no keys');
    refuseMore(own, { rights, project_id: project?.id ?? null, expires_at });
    refuseId(name);
    // Of the keys that it sees: the names of others are not its business.
    if (isLimited(own)) refuseTaken(name, this.#listed(owner));
    const budgets = { max_computers, max_hours, max_actions };
    const key = { name, rights, project, expires_at, ...budgets, created_by: owner.keyId };
    return this.#insert(owner.id, key);
  }

  /**
   * Creates a key of `owner` for an administrator, who made the request `by`. It lives no longer than
   * the administrator's key.
   */
  createFor(owner: Pick<OwnerRecord, 'id' | 'name'>, name: string, by: Owner): CreatedKey {
    if (this.#store.keys.list(owner.id).length >= MOST) {
      const message = `The owner ${JSON.stringify(owner.name)} has ${MOST} API keys, which is the limit.`;
      throw new ApiError('limit_reached', message, {
        remedy: 'Its owner can remove one: vc key rm ID',
      });
    }
    refuseId(name);
    const { expiresAt } = this.#apiKeys.own(by);
    const expires_at = Number.isFinite(expiresAt) ? new Date(expiresAt).toISOString() : null;
    const all = { name, rights: 'manage', project: null } as const;
    return this.#insert(owner.id, { ...all, expires_at, created_by: by.keyId });
  }

  /**
   * Changes the given fields at once. Fewer rights end what the key has open. Only a key with all rights
   * renames keys: people revoke a key by its name.
   */
  update(owner: Owner, id: string, input: UpdateKey): Key {
    const key = this.#find(owner, id);
    const own = this.#apiKeys.own(owner);
    // Otherwise a key could act on one that is more powerful than itself.
    refuseMore(own, { ...key, expires_at: null }, 'existing');
    const expires_at = input.expires_at === undefined ? key.expires_at : expiryOf(input.expires_at);
    const rights = input.rights ?? key.rights;
    if (input.expires_at !== undefined || rights !== key.rights) {
      refuseMore(own, { rights, project_id: key.project_id, expires_at });
    }
    const name = input.name ?? key.name;
    if (name !== key.name) {
      if (isLimited(own)) throw noRename();
      refuseId(name);
      refuseTaken(name, this.#store.keys.list(owner.id));
    }
    const {
      max_computers = key.max_computers,
      max_hours = key.max_hours,
      max_actions = key.max_actions,
    } = input;
    const budgets = { max_computers, max_hours, max_actions };
    const hasOther = BUDGETS.some((each) => budgets[each] !== key[each]);
    if (hasOther && hasBudget(own)) throw budgetForbids('changes no budgets');
    const next = { ...key, name, rights, expires_at, ...budgets };
    if (isFull(key) && !isFull(next)) this.#refuseLastFull(owner, 'cannot have fewer rights');
    this.#store.keys.update(id, next);
    if (rights !== key.rights) this.#apiKeys.changed(id);
    if (expires_at !== key.expires_at) this.#apiKeys.expiryChanged();
    return this.#view(this.#find(owner, id));
  }

  /**
   * Revokes a key and ends its requests and sockets. An owner's last key that has all rights cannot
   * be revoked. Answers the keys that it had made and that still work.
   */
  remove(owner: Owner, id: string): RemovedKey['made'] {
    const key = this.#find(owner, id);
    const own = this.#apiKeys.own(owner);
    refuseMore(own, { ...key, expires_at: null }, 'existing');
    if (isFull(key)) this.#refuseLastFull(owner, 'cannot be removed');
    const made = madeBy(id, this.#store.keys.list(owner.id));
    if (isLimited(own)) refuseRemovalOfMaker(owner.keyId, id, made);
    const ofOthers = this.#madeForOthers(owner, id);
    this.#store.keys.remove(owner.id, id);
    this.#apiKeys.ended(id);
    return [
      ...made.filter(isInTime).map((each) => ({ id: each.id, name: each.name })),
      ...ofOthers,
    ];
  }

  /** The keys of other owners that an administrator's key has made. */
  #madeForOthers(owner: Owner, id: string): RemovedKey['made'] {
    const { owners, keys } = this.#store;
    if (owners.findOwner(owner.id)?.role !== 'administrator') return [];
    return madeBy(id, keys.listAll())
      .filter(({ owner_id, expiresAt }) => owner_id !== owner.id && expiresAt > Date.now())
      .map((key) => ({ id: key.id, name: key.name, owner: owners.findOwner(key.owner_id)?.name }));
  }

  #insert(ownerId: string, key: Omit<Parameters<Store['keys']['insert']>[1], 'text'>): CreatedKey {
    const { created, remember } = this.#store.keys.insert(ownerId, {
      ...key,
      text: generateApiKey(),
    });
    remember();
    return created;
  }

  #project(owner: Owner, nameOrId: string): { readonly id: string; readonly name: string } {
    const { projects } = this.#store;
    const row = projects.find(owner.id, nameOrId);
    if (row !== undefined && (owner.projectId ?? row.id) === row.id)
      return { id: row.id, name: row.name };
    const known = projects.names(owner.id, owner.projectId, MOST_NAMES);
    throw missing('project', nameOrId, { known, list: 'vc project ls' });
  }

  #listed({ id, projectId }: Owner): ListedKey[] {
    const keys = this.#store.keys.list(id);
    return projectId === undefined ? keys : keys.filter((key) => key.project_id === projectId);
  }

  #find(owner: Owner, id: string): ListedKey {
    const keys = this.#listed(owner);
    const key = keys.find((one) => one.id === id);
    if (key !== undefined) return key;
    const known = keys.flatMap(({ name, id }) => [name, id]);
    throw missing('API key', id, { known, list: 'vc key ls' });
  }

  #view(key: ListedKey): Key {
    return { ...serialize(key), used: this.#budgets.used(key.id) };
  }

  #refuseLastFull(owner: Owner, what: string): void {
    const keys = this.#store.keys.list(owner.id);
    if (keys.filter(isFull).length > 1) return;
    const message =
      keys.length === 1
        ? 'This is your last API key.'
        : `This is your last API key with all rights that has no budget and does not expire: it ${what}.`;
    throw new ApiError('conflict', message, {
      remedy: 'Create another one first: vc key create NAME',
    });
  }
}

function isInTime({ expires_at }: ListedKey): boolean {
  return expires_at === null || Date.parse(expires_at) > Date.now();
}

function refuseTaken(name: string, keys: readonly ListedKey[]): void {
  if (!keys.some((key) => key.name === name)) return;
  const message = `There is an API key named ${JSON.stringify(name)} already.`;
  throw new ApiError('name_taken', message, { remedy: 'Choose another name. See: vc key ls' });
}

/** A key is named by its id as well: a name like another's id would stand for that one. */
function refuseId(name: string): void {
  if (!KEY_ID.test(name)) return;
  throw new ApiError('invalid_request', 'The name of an API key cannot look like an id.', {
    remedy: 'Choose another name.',
  });
}

/** Otherwise it could give itself, or a key that it makes, as much as it likes. */
function budgetForbids(what: string): ApiError {
  return new ApiError('forbidden', `An API key with a budget ${what}.`, {
    remedy: 'Use a key with all rights and no budget.',
  });
}

function noRename(): ApiError {
  const message = 'Only an API key with all rights can rename keys.';
  return new ApiError('forbidden', message, {
    remedy: 'Use a key with all rights, or leave out the name.',
  });
}

/**
 * A limited key that removed its maker, or itself while keys that it has made exist, would free the name
 * by which its owner revokes it, and another key could take the name.
 */
function refuseRemovalOfMaker(ownId: string, id: string, made: readonly ListedKey[]): void {
  const isMaker = id === ownId || made.some((key) => key.id === ownId);
  if (!isMaker || made.length === 0) return;
  const which = 'An API key with fewer rights, or for one project,';
  throw new ApiError('conflict', `${which} cannot be removed by itself before those it has made.`, {
    remedy: `Remove them first: vc key rm ${made.map((key) => key.id).join(' ')}`,
  });
}

/** A key that can do everything, without a budget or an end: an owner always has one. */
function isFull(key: ListedKey): boolean {
  return !isLimited(key) && key.expires_at === null;
}

function serialize(key: ListedKey): Omit<Key, 'used'> {
  const { id, name, prefix, rights, expires_at, created_at, last_used_at, created_by } = key;
  const { project_id, project_name, max_computers, max_hours, max_actions } = key;
  const budgets = { max_computers, max_hours, max_actions };
  const project = project_id === null ? null : { id: project_id, name: project_name ?? '' };
  const times = { expires_at, created_at, last_used_at };
  return { id, name, prefix, rights, project, ...times, created_by, ...budgets };
}
