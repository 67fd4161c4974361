import { ApiError } from '../../contract/errors.js';
import type { CreateComputer, CreateVolume, NewMounts, Volume } from '../../contract/resources.js';
import { isClustered } from '../../engines/clustered.js';
import { type Engine, isMounting, type Mounting } from '../../engines/engine.js';
import type { Log } from '../../lib/log.js';
import { countByMember, drainedMembers, leastUsed, noMember } from '../cluster/place-new.js';
import { generateId } from '../computers/ids.js';
import type { Quota } from '../computers/quota.js';
import { missing } from '../errors/missing.js';
import { inCommands } from '../errors/remedies.js';
import { mountsOf } from '../lifecycle/machine-spec.js';
import type { Machines } from '../lifecycle/machines.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord, MountedVolume, VolumeRecord } from '../store/records.js';

/** Volumes of an owner. */
const MOST = 100;
/** A volume is measured at most this often: every file in it is looked at. */
const MEASURE_MS = 60_000;
/** The measurement of a volume with so many files that it takes longer is given up. */
const MEASURE_LIMIT_MS = 30_000;

export interface VolumesParts {
  readonly store: Store;
  readonly machines: Machines;
  readonly quota: Quota;
  readonly log: Log;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

/**
 * Volumes of owners: directories that computers share and that outlive them. A row is written before the
 * engine makes the directory and removed after it: after a crash at any point, the reconciler completes
 * the removal. A directory without a row is never removed: it may be newer than a restored backup.
 */
export class Volumes {
  readonly #parts: VolumesParts;
  readonly #store: Store;
  /** Times of the monotonic clock at which volumes were last measured, by id. */
  readonly #measuredAt = new Map<string, number>();
  /** Removals in progress, by id. */
  readonly #removing = new Map<string, Promise<void>>();

  constructor(parts: VolumesParts) {
    this.#parts = parts;
    this.#store = parts.store;
    // A process that was killed has left them.
    this.#store.writeToFreeSpace(() => this.#store.volumes.deleteUnfinished());
  }

  list(ownerId: string): Volume[] {
    this.measure(ownerId);
    return this.#ready(ownerId).map(serialize);
  }

  async create(ownerId: string, { name, engine: wanted }: CreateVolume): Promise<Volume> {
    const { machines, quota, stopping } = this.#parts;
    const engine =
      wanted === undefined
        ? (machines.offered.find(isMounting) ?? machines.offered[0])
        : machines.offeredEngine(wanted);
    if (engine === undefined) throw new Error('the service has no engine');
    const mounting = this.#mounting(engine);
    const id = generateId('vol');
    const member = await this.#place(ownerId, engine);
    this.#store.transaction(() => {
      quota.refuseStorage(ownerId);
      this.#refuseName(ownerId, name);
      const where = { engine: engine.name, member: member ?? null };
      this.#store.volumes.insert({ id, owner_id: ownerId, ...where, name });
    });
    try {
      await mounting.createVolume({ id, member }, stopping);
    } catch (error) {
      if (stopping.aborted) throw error;
      this.#store.writeToFreeSpace(() => this.#store.volumes.setState(id, 'deleting'));
      this.reconcile(engine);
      throw error;
    }
    this.#store.volumes.setState(id, 'ready');
    const volume = this.#ready(ownerId).find((each) => each.id === id);
    if (volume === undefined) throw new ApiError('not_found', 'The volume was deleted meanwhile.');
    return serialize(volume);
  }

  /** Refused while computers mount it. */
  async remove(ownerId: string, name: string): Promise<void> {
    const volume = this.#store.transaction(() => {
      const found = this.#find(ownerId, name);
      const users = this.#store.volumes.users(found);
      if (users.length > 0) throw this.#inUse(found, users);
      this.#store.volumes.setState(found.id, 'deleting');
      return found;
    });
    await this.#tidy(this.#parts.machines.engine(volume.engine), ({ id }) => id === volume.id);
  }

  /** The engine of the volumes that a computer mounts; undefined for none. */
  engineOf(ownerId: string, [first]: NewMounts): string | undefined {
    return first && this.#find(ownerId, first.name).engine;
  }

  /** What a new computer on the engine mounts. */
  mounts(ownerId: string, engine: Engine, wanted: NewMounts): MountedVolume[] {
    if (wanted.length > 0) this.#mounting(engine);
    return wanted.map(({ name, path, read_only }) => {
      const volume = this.#find(ownerId, name);
      if (volume.engine === engine.name) return { id: volume.id, name, path, read_only };
      const quoted = JSON.stringify(name);
      const message = `The volume ${quoted} is on the engine "${volume.engine}", not "${engine.name}".`;
      throw new ApiError('invalid_request', message, {
        remedy: `Use that engine: --engine ${volume.engine}; or create a volume with another name on the engine ${engine.name}.`,
      });
    });
  }

  /**
   * The member on which a computer with these volumes is created; undefined if it may be on each. Refuses
   * volumes on several members, and another place that is wanted.
   */
  memberOf(
    mounts: readonly MountedVolume[],
    { member, group }: Pick<CreateComputer, 'member' | 'group'>,
  ): string | undefined {
    const places = mounts.flatMap(({ id, name }) => {
      const place = this.#store.volumes.find(id)?.member ?? undefined;
      return place === undefined ? [] : [{ name, place }];
    });
    const [first, ...others] = places;
    if (first === undefined) return undefined;
    const on = ({ name, place }: typeof first) =>
      `The volume ${JSON.stringify(name)} is on the cluster member "${place}"`;
    const other = others.find(({ place }) => place !== first.place);
    if (other !== undefined) {
      const message = `${on(first)}, and ${JSON.stringify(other.name)} on "${other.place}".`;
      const remedy = 'Mount volumes of one member only; see: vc cluster ls';
      throw new ApiError('invalid_request', message, { remedy });
    }
    if (group === undefined && (member ?? first.place) === first.place) return first.place;
    const wanted = member === undefined ? `the group "${group}"` : `"${member}"`;
    throw new ApiError('invalid_request', `${on(first)}: a computer that mounts it is too.`, {
      remedy: `Leave out ${wanted}.`,
    });
  }

  /** Within the transaction that inserts the row of a computer: a volume may have been deleted meanwhile. */
  refuseDeleted({ volumes = '[]' }: Partial<Pick<ComputerRecord, 'volumes'>>): void {
    for (const { id, name } of mountsOf({ volumes })) {
      if (this.#store.volumes.find(id)?.state === 'ready') continue;
      const message = `The volume ${JSON.stringify(name)} was deleted meanwhile.`;
      throw new ApiError('not_found', message, { remedy: 'See: vc volume ls' });
    }
  }

  /** Measures the owner's volumes in the background, those that were not measured lately. */
  measure(ownerId: string): void {
    const now = performance.now();
    for (const { id, engine: name } of this.#ready(ownerId)) {
      const engine = this.#parts.machines.engine(name);
      const at = this.#measuredAt.get(id);
      if (!isMounting(engine) || (at !== undefined && now - at < MEASURE_MS)) continue;
      this.#measuredAt.set(id, now);
      const signal = AbortSignal.any([this.#parts.stopping, AbortSignal.timeout(MEASURE_LIMIT_MS)]);
      engine
        .volumeBytes(id, signal)
        .then((bytes) => {
          if (!this.#parts.stopping.aborted) this.#store.volumes.setBytes(id, bytes);
        })
        .catch((err) => this.#parts.log.debug({ volume: id, err }, 'could not measure a volume'));
    }
  }

  /** Removes the volumes of an owner whose computers were removed. */
  async removeOfOwner(ownerId: string): Promise<void> {
    this.#store.writeToFreeSpace(() => this.#store.volumes.deleteOfOwner(ownerId));
    for (const engine of this.#parts.machines.engines()) {
      await this.#tidy(engine, (volume) => volume.owner_id === ownerId);
    }
  }

  /** Completes removals that a crash or a failure has interrupted, in the background. */
  reconcile(engine: Engine): void {
    this.#tidy(engine).catch((err) => {
      this.#parts.log.warn({ engine: engine.name, err }, 'a volume is removed later');
    });
  }

  async #tidy(
    engine: Engine,
    which: (volume: VolumeRecord) => boolean = () => true,
  ): Promise<void> {
    if (!isMounting(engine)) return;
    for (const volume of this.#store.volumes.deleting(engine.name).filter(which)) {
      const removing = this.#removing.get(volume.id) ?? this.#remove(engine, volume.id);
      this.#removing.set(volume.id, removing);
      await removing.finally(() => this.#removing.delete(volume.id));
    }
  }

  /** Takes long if there are many files. */
  async #remove(engine: Mounting, id: string): Promise<void> {
    await engine.removeVolume(id, this.#parts.stopping);
    this.#measuredAt.delete(id);
    const remove = () => this.#store.volumes.remove(id);
    // Once more for the error.
    if (!this.#store.writeToFreeSpace(remove)) remove();
  }

  /**
   * The member for a new volume: that of the owner's other volumes if it takes computers, so that one can
   * mount them all. Undefined without members.
   */
  async #place(ownerId: string, engine: Engine): Promise<string | undefined> {
    if (!isClustered(engine)) return undefined;
    const states = await engine.memberStates(this.#parts.stopping);
    if (states.length === 0) return undefined;
    const own = this.#store.volumes.list(ownerId).filter((each) => each.engine === engine.name);
    const near = states.filter(({ name }) => own.some(({ member }) => member === name));
    const drained = drainedMembers(this.#store, engine.name);
    const counts = countByMember(this.#store, engine.name);
    const member = leastUsed(near, drained, counts) ?? leastUsed(states, drained, counts);
    if (member === undefined) throw noMember('volumes');
    return member;
  }

  #mounting(engine: Engine): Engine & Mounting {
    if (isMounting(engine)) return engine;
    const able = this.#parts.machines.offered.find(isMounting);
    throw new ApiError('unsupported', `The engine "${engine.name}" has no volumes.`, {
      remedy:
        able === undefined ? 'Leave "volumes" out.' : `Use another engine: --engine ${able.name}`,
    });
  }

  #ready(ownerId: string) {
    return this.#store.volumes.list(ownerId).filter(({ state }) => state === 'ready');
  }

  #find(ownerId: string, name: string): VolumeRecord {
    const volumes = this.#ready(ownerId);
    const found = volumes.find((volume) => volume.name === name);
    if (found !== undefined) return found;
    throw missing('volume', name, {
      known: volumes.map((volume) => volume.name),
      list: 'vc volume ls',
    });
  }

  #refuseName(ownerId: string, name: string): void {
    const volumes = this.#store.volumes.list(ownerId);
    if (volumes.some((volume) => volume.name === name)) {
      const message = `You have a volume named ${JSON.stringify(name)} already.`;
      throw new ApiError('name_taken', message, {
        remedy: 'Choose another name. See: vc volume ls',
      });
    }
    if (volumes.length < MOST) return;
    throw new ApiError('limit_reached', `You have ${MOST} volumes, which is the limit.`, {
      remedy: 'Remove one first: vc volume rm NAME',
    });
  }

  #inUse({ name }: VolumeRecord, users: readonly string[]): ApiError {
    const computers = users.flatMap((id) => this.#store.computers.findById(id) ?? []);
    const names = computers.map(inCommands).sort().slice(0, 3);
    const more = users.length > names.length ? ` and ${users.length - names.length} more` : '';
    const message = `The volume ${JSON.stringify(name)} is mounted by ${names.join(', ')}${more}.`;
    return new ApiError('conflict', message, {
      remedy: `Remove them first: vc rm ${names.join(' ')}`,
    });
  }
}

function serialize({
  name,
  engine,
  bytes,
  used_by,
  created_at,
}: VolumeRecord & { readonly used_by: number }): Volume {
  return { name, engine, bytes, used_by, created_at };
}
