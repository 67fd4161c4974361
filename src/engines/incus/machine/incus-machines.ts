import { ApiError } from '../../../contract/errors.js';
import { Queue } from '../../../lib/async/queue.js';
import { sleep } from '../../../lib/async/sleep.js';
import type { MachineSpec } from '../../engine.js';
import { type Cluster, QUICK_MS, STEP_MS } from '../client/cluster.js';
import { type ClusterFacts, readFacts } from '../client/facts.js';
import { inTurn } from '../client/in-turn.js';
import { clusterErrorOf, gone, imageMissing } from '../errors.js';
import { instanceName, KEY, ORIGIN } from '../ids.js';
import { chooseAddress } from './addresses.js';
import type { Instance } from './instance.js';
import {
  changeableConfig,
  type InstanceSource,
  instanceOf,
  keptConfig,
  type Surroundings,
} from './instance-config.js';
import { type Instances, isMissing } from './instances.js';
import { Moving } from './moves/copies.js';
import { completeMove, moveMachine, removeCopies } from './moves/move.js';
import { targetOf } from './placement.js';
import { createSnapshot, type SavedDisks } from './saved-disks.js';
import { locationOf } from './state.js';
import { hasOwnIds, NEW_IDS, noIds, untilIdsAreKnown } from './user-ids.js';

export interface MachinesOptions {
  readonly cluster: Cluster;
  readonly instances: Instances;
  readonly saved: Pick<SavedDisks, 'source'>;
  readonly serviceId: string;
  readonly allowSudo: boolean;
  /** May machines have a network? */
  readonly internet: boolean;
  readonly diskGib: number;
}

/** The first machine of an image on a member waits until that is unpacked. */
const CREATE_MS = 600_000;
/** A storage pool that copies every file takes minutes. */
const RESTORE_MS = 3_600_000;
/** A key that an instance has until its first start. */
const UNSTARTED = 'volatile.apply_template';
const BUSY_EVERY_MS = 200;
const MOVING_EVERY_MS = 5_000;
/** Times that an address is chosen: another service of the cluster may take one meanwhile. */
const ATTEMPTS = 5;

/** The lifecycle of machines; every step is idempotent. */
export class IncusMachines {
  readonly #options: MachinesOptions;
  readonly #cluster: Cluster;
  readonly #instances: Instances;
  readonly #creations = new Queue();
  readonly #completions = new Queue();
  #facts: Promise<ClusterFacts> | undefined;

  constructor(options: MachinesOptions) {
    this.#options = options;
    this.#cluster = options.cluster;
    this.#instances = options.instances;
  }

  async create(spec: MachineSpec, signal?: AbortSignal): Promise<void> {
    const existing = await this.#instances.named(spec.id, signal);
    if (existing) {
      if (existing.config?.[UNSTARTED] !== undefined) await this.#saveOrigin(spec.id, signal);
      return;
    }
    const { source, member } = spec.from
      ? await this.#options.saved.source(spec.from.id, signal)
      : { source: undefined, member: undefined };
    const isPlaced = spec.placement !== undefined && 'member' in spec.placement;
    // To another member, all of the disk would be sent.
    const placement = member === undefined || isPlaced ? spec.placement : { member };
    await this.#make({ ...spec, placement }, source, signal);
  }

  /** Stops a machine and puts it back to a snapshot of it; its configuration stays. */
  async reset(spec: MachineSpec, signal?: AbortSignal): Promise<void> {
    const { id, from } = spec;
    const { config } = await this.#get(id, signal);
    const isOrigin = from === undefined || from.id === config?.[KEY.source];
    const snapshot = isOrigin ? ORIGIN : from.id;
    const path = `/1.0/instances/${instanceName(id)}`;
    await this.#cluster.ask(`${path}/snapshots/${snapshot}`, { signal }).catch((error) => {
      throw clusterErrorOf(error)?.status === 404 ? noSnapshot(snapshot, error) : error;
    });
    await this.stop(id, 0, signal);
    const query = { method: 'PUT', body: { restore: snapshot }, ms: RESTORE_MS, signal } as const;
    await inTurn(() => this.#cluster.run(path, query), signal);
    await this.#setConfig(id, { ...keptConfig(config ?? {}), ...changeableConfig(spec) }, signal);
    if (!(await this.#ensureOwnIds(id, signal))) throw noIds();
  }

  /** For a reset of the machine to what it was made as. */
  #saveOrigin(id: string, signal: AbortSignal | undefined): Promise<void> {
    return createSnapshot(this.#cluster, id, ORIGIN, signal);
  }

  /** Makes a machine of its image, or from a saved disk. */
  async #make(
    spec: MachineSpec,
    from: InstanceSource | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const facts = await this.#readFacts();
    for (let attempt = 1; ; attempt++) {
      const around = await this.#surroundings(facts, spec.id, attempt, signal);
      const body = instanceOf(spec, around, from);
      try {
        await this.#create(spec, body, signal);
        if (await hasOwnIds(this.#instances, spec.id, signal)) {
          return await this.#saveOrigin(spec.id, signal);
        }
        await this.remove(spec.id, signal);
        if (attempt === ATTEMPTS) throw noIds();
      } catch (error) {
        const { status, message = '' } = clusterErrorOf(error) ?? {};
        if (status === 409 || /already exists/i.test(message)) {
          if (await this.#instances.named(spec.id, signal)) return;
          throw notOurs(spec.id, facts, error);
        }
        if (/image.* not found/i.test(message)) throw imageMissing(spec.image, error);
        const isTaken = /address.*(in use|already|defined)/i.test(message);
        if (!isTaken || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async start(id: string, signal?: AbortSignal): Promise<void> {
    this.#instances.forget(id);
    const { status } = await this.#get(id, signal);
    if (status === 'Frozen') return this.#change(id, 'unfreeze', {}, signal);
    if (status === 'Running') return;
    // The operator may have moved it.
    const { keepsIds } = await this.#readFacts();
    if (keepsIds && !(await this.#ensureOwnIds(id, signal))) throw noIds();
    await this.#change(id, 'start', { timeout: 30 }, signal);
  }

  async stop(id: string, graceMs: number, signal?: AbortSignal): Promise<void> {
    const instance = await this.#find(id, signal);
    if (instance === undefined || instance.status === 'Stopped') return;
    // A frozen guest does not see the request.
    if (instance.status === 'Running' && graceMs > 0) {
      const timeout = Math.ceil(graceMs / 1000);
      const ended = await this.#change(id, 'stop', { timeout }, signal).then(
        () => true,
        (error) => {
          if (clusterErrorOf(error) === undefined) throw error;
          return false;
        },
      );
      if (ended) return;
    }
    await this.#change(id, 'stop', { force: true, timeout: 30 }, signal);
  }

  /** Until the cluster has none: it may be creating, starting, moving or removing it. */
  async remove(id: string, signal?: AbortSignal): Promise<void> {
    this.#instances.forget(id);
    for (const end = performance.now() + STEP_MS; ; await sleep(BUSY_EVERY_MS, signal)) {
      const instance = await this.#instances.find(id, signal).catch((error) => {
        if (error instanceof Moving) return 'only copies' as const;
        throw error;
      });
      if (instance === undefined) return;
      try {
        if (instance === 'only copies') await removeCopies(this.#options, id, signal);
        else await this.#delete(id, instance, signal);
      } catch (error) {
        const isBusy = error instanceof Moving || clusterErrorOf(error) !== undefined;
        if (!isBusy || performance.now() > end) throw error;
        // Sending a disk takes minutes.
        if (error instanceof Moving) await sleep(MOVING_EVERY_MS, signal);
      }
    }
  }

  async #delete(id: string, { status }: Instance, signal: AbortSignal | undefined): Promise<void> {
    if (status !== 'Stopped') await this.#change(id, 'stop', { force: true, timeout: 30 }, signal);
    await this.#cluster.run(`/1.0/instances/${instanceName(id)}`, { method: 'DELETE', signal });
  }

  /**
   * Moves a stopped machine to another member, where it has user ids of its own; completes a move that
   * was interrupted.
   */
  async move(id: string, member: string, signal?: AbortSignal): Promise<void> {
    const { serviceId } = this.#options;
    const cluster = this.#cluster;
    const instances = this.#instances;
    const parts = { cluster, instances, serviceId, creations: this.#creations };
    instances.forget(id);
    await this.#completeMove(id, signal);
    const from = locationOf(await instances.get(id, signal));
    await moveMachine(parts, id, member, signal);
    if (await this.#ensureOwnIds(id, signal)) return;
    // It must not start with the ids of another one; where it was, it gets others.
    if (from !== undefined) await moveMachine(parts, id, from, signal);
    throw noIds();
  }

  /** Changes keys of its configuration and leaves the others. */
  async configure(
    id: string,
    config: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#get(id, signal);
    await this.#setConfig(id, config, signal);
  }

  async #setConfig(
    id: string,
    config: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    // Never of an instance of another service.
    await this.#instances.get(id, signal);
    const path = `/1.0/instances/${instanceName(id)}`;
    const query = { method: 'PATCH', body: { config }, signal } as const;
    await inTurn(() => this.#cluster.run(path, query), signal);
  }

  /** As {@link Instances.find}, and completes a move that was interrupted. */
  async #find(id: string, signal: AbortSignal | undefined): Promise<Instance | undefined> {
    try {
      return await this.#instances.find(id, signal);
    } catch (error) {
      if (!(error instanceof Moving)) throw error;
    }
    await this.#completeMove(id, signal);
    if (!(await this.#ensureOwnIds(id, signal))) throw noIds();
    return this.#instances.find(id, signal);
  }

  async #get(id: string, signal: AbortSignal | undefined): Promise<Instance> {
    const instance = await this.#find(id, signal);
    if (instance === undefined) throw gone();
    return instance;
  }

  #completeMove(id: string, signal: AbortSignal | undefined): Promise<void> {
    return this.#completions.run(() => completeMove(this.#options, id, signal), signal);
  }

  /** False if a stopped machine shares its user ids with another one, and cannot get others. */
  async #ensureOwnIds(id: string, signal: AbortSignal | undefined): Promise<boolean> {
    if (await hasOwnIds(this.#instances, id, signal)) return true;
    await this.#creations.run(async () => {
      for (const config of NEW_IDS) await this.#setConfig(id, config, signal);
    }, signal);
    return hasOwnIds(this.#instances, id, signal);
  }

  /**
   * The cluster completes a creation even if the request is aborted; a removal waits for that. Others
   * begin when this one has its user ids: LXD gives two at once the same ones.
   */
  async #create(
    { id, placement }: Pick<MachineSpec, 'id' | 'placement'>,
    body: object,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const query = { method: 'POST', body, ms: CREATE_MS, signal } as const;
    const operation = await this.#creations.run(async () => {
      const begun = await this.#cluster.begin(`/1.0/instances${targetOf(placement)}`, query);
      await untilIdsAreKnown(this.#instances, id, signal);
      return begun;
    }, signal);
    await this.#cluster.finish(operation, query);
  }

  async #change(
    id: string,
    action: 'start' | 'stop' | 'unfreeze',
    body: { readonly force?: boolean; readonly timeout?: number },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const path = `/1.0/instances/${instanceName(id)}/state`;
    const query = { method: 'PUT', body: { action, ...body }, signal } as const;
    await inTurn(() => this.#cluster.run(path, query), signal).catch((error) => {
      const { message = '' } = clusterErrorOf(error) ?? {};
      const isDone = action === 'stop' ? /already stopped|not running/i : /already running/i;
      if (!isDone.test(message) && !(action === 'stop' && isMissing(error))) throw error;
    });
  }

  async #surroundings(
    { pool, network, subnet, serverConfig }: ClusterFacts,
    id: string,
    attempt: number,
    signal: AbortSignal | undefined,
  ): Promise<Surroundings> {
    const { serviceId, allowSudo, diskGib, internet } = this.#options;
    const around = { serviceId, allowSudo, diskGib, pool, serverConfig };
    if (!internet) return { ...around, network: undefined };
    const all = await this.#instances.all(signal);
    const used = all.flatMap(({ devices }) =>
      Object.values(devices ?? {}).map((device) => device['ipv4.address'] ?? ''),
    );
    const address = chooseAddress(subnet, id, new Set(used), attempt);
    return { ...around, network: { name: network, subnet, address } };
  }

  #readFacts(): Promise<ClusterFacts> {
    this.#facts ??= readFacts(this.#cluster, AbortSignal.timeout(QUICK_MS));
    this.#facts.catch(() => {
      this.#facts = undefined;
    });
    return this.#facts;
  }
}

function noSnapshot(name: string, cause: unknown): ApiError {
  if (name !== ORIGIN)
    return new ApiError('not_found', 'The saved disk no longer exists.', { cause });
  const message = 'The cluster has no snapshot of the computer as it was created.';
  const remedy = 'Create it again, or reset it to a snapshot.';
  return new ApiError('unsupported', message, { remedy, cause });
}

function notOurs(id: string, { program }: ClusterFacts, cause: unknown): ApiError {
  const name = instanceName(id);
  const message = `The instance ${name} of the cluster does not belong to this service.`;
  return new ApiError('internal', message, { remedy: `${program} delete --force ${name}`, cause });
}
