import { ApiError } from '../../contract/errors.js';
import type {
  CreatedOwner,
  CreateOwner,
  UpdateOwner,
  Owner as View,
} from '../../contract/owners.js';
import type { AuditEntry, AuditQuery, CreatedKey } from '../../contract/resources.js';
import { count } from '../../lib/text/count.js';
import type { AuditLog } from '../audit/audit-log.js';
import { generateApiKey } from '../computers/ids.js';
import { missing } from '../errors/missing.js';
import { isLimited } from '../store/accounts/keys.js';
import type { OwnerCounts } from '../store/accounts/owners.js';
import type { Store } from '../store/index.js';
import type { OwnerRecord } from '../store/records.js';
import type { ApiKeys, Owner } from './api-keys.js';
import { refuseExpiring } from './key-limits.js';
import type { KeyManagement } from './key-management.js';
import type { OwnerDeletion } from './owner-deletion.js';

/** Owners of a service. */
const MOST = 1_000;
const NOTHING: OwnerCounts = { project_count: 0, computer_count: 0, running: 0, storage_bytes: 0 };

export interface OwnersParts {
  readonly store: Store;
  readonly apiKeys: ApiKeys;
  readonly keys: KeyManagement;
  readonly auditLog: AuditLog;
  readonly deletion: OwnerDeletion;
}

/** The owners of the service, for its administrators. An owner is named by its name or id. */
export class Owners {
  readonly #parts: OwnersParts;
  readonly #store: Store;

  constructor(parts: OwnersParts) {
    this.#parts = parts;
    this.#store = parts.store;
  }

  /** Reads no database. */
  isAdministrator({ id }: Pick<Owner, 'id'>): boolean {
    return this.#store.owners.findOwner(id)?.role === 'administrator';
  }

  /** Whether the key has everything that an administrator may do. Reads no database. */
  mayAdminister(owner: Owner): boolean {
    if (!this.isAdministrator(owner) || !this.#parts.apiKeys.isValid(owner)) return false;
    const key = this.#store.keys.find(owner.keyId);
    return key !== undefined && !isLimited(key);
  }

  /** The oldest first. */
  list(): View[] {
    const counts = this.#store.owners.countEach();
    return this.#store.owners.listOwners().map((owner) => serialize(owner, counts.get(owner.id)));
  }

  get(nameOrId: string): View {
    return this.#view(this.#find(nameOrId));
  }

  create(by: Owner, { name, max_running, max_storage = null }: CreateOwner): CreatedOwner {
    refuseExpiring(this.#parts.apiKeys.own(by));
    const owners = this.#store.owners.listOwners();
    const namesake = owners.find((owner) => owner.name === name);
    if (namesake !== undefined) {
      const isDeleting = namesake.deleting_by !== null;
      const state = isDeleting ? ', which is being deleted' : ' already';
      throw new ApiError('name_taken', `There is an owner named ${JSON.stringify(name)}${state}.`, {
        remedy: 'Choose another name. See: vc owner ls',
      });
    }
    if (owners.length >= MOST) {
      throw new ApiError('limit_reached', `There are ${MOST} owners, which is the limit.`, {
        remedy: 'Remove one first: vc owner rm NAME',
      });
    }
    const limits = { max_running, max_storage };
    const member = { name, role: 'member', ...limits, created_by: by.keyId } as const;
    const { owner, key } = this.#store.owners.createOwner(member, generateApiKey());
    return { ...this.#view(owner), key };
  }

  update(nameOrId: string, changes: UpdateOwner): View {
    const owner = this.#findActive(nameOrId);
    const { max_running = owner.max_running, max_storage = owner.max_storage } = changes;
    return this.#view(this.#store.owners.setLimits({ ...owner, max_running, max_storage }));
  }

  /** A key for an owner that has lost its own. */
  createKey(by: Owner, nameOrId: string, name: string): CreatedKey {
    return this.#parts.keys.createFor(this.#findActive(nameOrId), name, by);
  }

  /** Newest first. A deleted owner's entries are found by its id. */
  audit(nameOrId: string, query: AuditQuery): AuditEntry[] {
    const { auditLog } = this.#parts;
    const id = this.#lookUp(nameOrId)?.id ?? nameOrId;
    const isKnown = this.#store.owners.findOwner(id) !== undefined || auditLog.knows(id);
    if (!isKnown) throw this.#missing(nameOrId);
    return auditLog.listOfOwner({ id }, query);
  }

  /**
   * Deletes an owner and ends what its keys have open. Refused, unless `projects` is `delete`, for an
   * owner that has projects; always for the administrator who asks, and for the last one.
   */
  async remove(by: Owner, nameOrId: string, projects: 'keep' | 'delete'): Promise<void> {
    const owner = this.#find(nameOrId);
    if (owner.deleting_by === null) this.#refuseRemoval(owner, by, projects);
    await this.#parts.deletion.start(owner, by);
  }

  /** Id and name of the owner, for the audit log; undefined if there is none. */
  identify(nameOrId: string): { readonly id: string; readonly name: string } | undefined {
    return this.#lookUp(nameOrId);
  }

  #refuseRemoval(owner: OwnerRecord, by: Owner, projects: 'keep' | 'delete'): void {
    const quoted = JSON.stringify(owner.name);
    if (owner.id === by.id) {
      throw new ApiError('conflict', `The owner ${quoted} is you: you cannot delete yourself.`);
    }
    const administrators = this.#store.owners.listOwners().filter(this.isAdministrator, this);
    if (administrators.length === 1 && this.isAdministrator(owner)) {
      throw new ApiError('conflict', `The owner ${quoted} is the last administrator.`);
    }
    const { project_count, computer_count } = this.#view(owner);
    if (projects === 'delete' || project_count === 0) return;
    const what = `${count(project_count, 'project')} with ${count(computer_count, 'computer')}`;
    throw new ApiError('conflict', `The owner ${quoted} has ${what}.`, {
      remedy: `Delete them as well: vc owner rm ${owner.name} --force`,
    });
  }

  #find(nameOrId: string): OwnerRecord {
    const owner = this.#lookUp(nameOrId);
    if (owner) return owner;
    throw this.#missing(nameOrId);
  }

  #findActive(nameOrId: string): OwnerRecord {
    const owner = this.#find(nameOrId);
    if (owner.deleting_by === null) return owner;
    throw new ApiError('conflict', `The owner ${JSON.stringify(owner.name)} is being deleted.`);
  }

  #lookUp(nameOrId: string): OwnerRecord | undefined {
    const { owners } = this.#store;
    return owners.listOwners().find(({ name }) => name === nameOrId) ?? owners.findOwner(nameOrId);
  }

  #missing(nameOrId: string): ApiError {
    const known = this.#store.owners.listOwners().map(({ name }) => name);
    return missing('owner', nameOrId, { known, list: 'vc owner ls' });
  }

  #view(owner: OwnerRecord): View {
    return serialize(owner, this.#store.owners.counts(owner.id));
  }
}

function serialize(owner: OwnerRecord, counts: OwnerCounts = NOTHING): View {
  const { id, name, role, max_running, max_storage, created_at, created_by, deleting_by } = owner;
  const { running, storage_bytes, project_count, computer_count } = counts;
  const status = deleting_by === null ? 'active' : 'deleting';
  return {
    id,
    name,
    role,
    status,
    max_running,
    max_storage,
    running,
    storage_bytes,
    project_count,
    computer_count,
    created_at,
    created_by,
  };
}
