import type { Log } from '../../lib/log.js';
import { type AuditLog, outcomeOf, startTimer } from '../audit/audit-log.js';
import type { Machines } from '../lifecycle/machines.js';
import type { SavedDisks } from '../snapshots/saved-disks.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord, OwnerRecord } from '../store/records.js';
import type { Streams } from '../streams/streams.js';
import type { Volumes } from '../volumes/volumes.js';
import type { ApiKeys, Owner } from './api-keys.js';

export interface OwnerDeletionParts {
  readonly store: Store;
  readonly apiKeys: ApiKeys;
  readonly machines: Machines;
  readonly disks: SavedDisks;
  readonly volumes: Volumes;
  readonly streams: Pick<Streams, 'stop'>;
  readonly auditLog: AuditLog;
  readonly log: Log;
}

/**
 * Deletes owners. The intent is written first, together with the removal of the keys. Then computers
 * are removed, then what engines keep besides, and the rows last. Repeating it after a crash or a
 * failure completes it.
 */
export class OwnerDeletion {
  readonly #parts: OwnerDeletionParts;
  /** Deletions in progress, by owner id. */
  readonly #active = new Map<string, Promise<void>>();

  constructor(parts: OwnerDeletionParts) {
    this.#parts = parts;
  }

  /**
   * Ends everything that the owner's keys have open before it returns, then removes projects and
   * computers, protected ones too. A second deletion of the same owner waits for the first.
   */
  start({ id }: OwnerRecord, by: Owner): Promise<void> {
    const { store, apiKeys } = this.#parts;
    const active = this.#active.get(id);
    if (active) return active;
    // On a full disk this may not be written. The computers are removed first, which frees space.
    store.writeToFreeSpace(() => store.owners.writeDeletion(id, by.keyId));
    for (const key of store.owners.startDeletion(id, by.keyId)) apiKeys.ended(key);
    return this.#run(id, by.keyId);
  }

  /** Continues the deletions that a crash or an unavailable engine has interrupted. */
  resume(): void {
    for (const { id, name, deleting_by } of this.#parts.store.owners.listOwners()) {
      if (deleting_by === null || this.#active.has(id)) continue;
      this.#parts.log.info({ owner: id }, 'resuming the deletion of an owner');
      const timer = startTimer();
      this.#run(id, deleting_by).then(
        () => this.#record({ id, name }, deleting_by, timer()),
        (err) => this.#parts.log.warn({ owner: id, err }, 'the deletion of an owner failed'),
      );
    }
  }

  #run(id: string, keyId: string): Promise<void> {
    const done = this.#remove(id, keyId).finally(() => this.#active.delete(id));
    // Every deletion reports its own failure.
    done.catch(() => undefined);
    this.#active.set(id, done);
    return done;
  }

  async #remove(id: string, keyId: string): Promise<void> {
    const { store, machines, streams } = this.#parts;
    const projects = store.projects.list(id);
    const computers = projects.flatMap((project) => store.computers.listOfProject(project.id));
    const removals = computers.map(async (computer) => {
      void streams.stop(computer);
      await this.#audited(computer, keyId, () => machines.of(computer).remove());
    });
    const failed = (await Promise.allSettled(removals)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    await this.#parts.disks.removeOfOwner(id);
    await this.#parts.volumes.removeOfOwner(id);
    await Promise.all([...machines.engines()].map((engine) => engine.forgetOwner?.(id)));
    const remove = () => store.owners.writeRemoval(id);
    if (!store.writeToFreeSpace(remove)) remove();
    store.owners.forgetOwner(id);
    // Listeners of its events see that it is gone.
    store.written.notify(id);
  }

  /** Each computer's removal is in the log of the owner that is deleted. */
  async #audited(computer: ComputerRecord, keyId: string, work: () => Promise<void>) {
    const timer = startTimer();
    const entry = {
      owner: { id: computer.owner_id, keyId },
      computerId: computer.id,
      action: 'deleteOwner',
      detail: { name: computer.name },
    };
    try {
      await work();
      this.#parts.auditLog.record({ ...entry, outcome: 'ok', ...timer() });
    } catch (error) {
      this.#parts.auditLog.record({ ...entry, outcome: outcomeOf(error), ...timer() });
      throw error;
    }
  }

  /** The request that began a resumed deletion could not record its end. */
  #record(
    { id, name }: Pick<OwnerRecord, 'id' | 'name'>,
    keyId: string,
    times: ReturnType<ReturnType<typeof startTimer>>,
  ): void {
    const { store, auditLog } = this.#parts;
    auditLog.record({
      owner: { id: store.keys.find(keyId)?.owner_id ?? id, keyId },
      affected: id,
      computerId: undefined,
      action: 'deleteOwner',
      detail: { owner: name, id },
      outcome: 'ok',
      ...times,
    });
  }
}
