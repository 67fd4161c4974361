import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import type { DiskSource, MachineSpec } from '../../engine.js';
import { allocateId, type IdRange, idsOfHost, USER_IDS } from '../../user-ids.js';
import { ask, askToMake, isRemote, QUICK_MS } from '../client.js';
import { dialectOf, type EngineFacts } from '../dialect.js';
import { imageMissing, messageOf, statusOf } from '../errors.js';
import { imageTag, LABEL, machineName } from '../ids.js';
import { inspectContainer, listContainers, queryImages } from '../requests.js';
import { changedFiles } from '../saved/layer-files.js';
import type { DiskImage, SavedDisks } from '../saved/saved-disks.js';
import type { Saves } from '../saved/saves.js';
import { IMAGE_ID, UserFiles } from '../user/user-files.js';
import type { Volumes } from '../volumes/volumes.js';
import { containerConfig, type Host } from './container-config.js';
import type { SocketDirectories } from './directory.js';

/**
 * Ids in a user namespace (`userns-remap`, rootless), which the Engine maps to others on the host.
 * It usually has 65,536 ids.
 */
const NAMESPACE_IDS = { first: 10_000, end: 60_000 } as const satisfies IdRange;

/** Allocates a user id that no container and no saved disk on this Engine has, whatever its service. */
async function allocateUser(
  docker: Docker,
  isRemapped: boolean,
  signal?: AbortSignal,
): Promise<number> {
  const filters = { label: [LABEL.uid] };
  const isOnThisHost = !isRemapped && !isRemote(docker);
  const [containers, images, isOfHost] = await Promise.all([
    listContainers(docker, filters, signal),
    queryImages(docker, filters, signal),
    isOnThisHost ? idsOfHost() : () => false,
  ]);
  const taken = new Set(
    [...containers, ...images].map(({ Labels }) => Number(Labels?.[LABEL.uid])),
  );
  const range = isRemapped ? NAMESPACE_IDS : USER_IDS.docker;
  return allocateId(range, (id) => taken.has(id) || isOfHost(id));
}

export interface ContainerOptions {
  readonly docker: Docker;
  readonly disks: SavedDisks;
  readonly saves: Saves;
  readonly serviceId: string;
  /** `undefined` where the Engine cannot see this host's files. */
  readonly directories: SocketDirectories | undefined;
  readonly volumes: Volumes;
  readonly allowSudo: boolean;
  readonly resolvesNames: boolean;
  /** Disk quota in GiB, if the storage driver supports quotas. */
  readonly diskGib: number;
}

/** A computer's, or one of the warm pool. */
export type MachineUse = 'computer' | 'spare';

/** What a machine's container is made from. */
export interface Base {
  /** The Engine's name or id of an image. */
  readonly image: string;
  /** The user that the machine runs as; undefined: one that is free. */
  readonly uid: number | undefined;
  /** The user's files in the image belong to {@link uid} already. */
  readonly isOwned: boolean;
}

export interface CreationOptions {
  readonly use?: MachineUse;
  /** In place of what the specification says. */
  readonly base?: Base;
}

/** @param user of a machine that is made again */
export function baseOf({ id, uid }: DiskImage, user?: number): Base {
  return { image: id, uid: uid ?? user, isOwned: uid !== undefined };
}

/** Creates machines' containers, each with a user of its own. */
export class ContainerCreation {
  readonly #options: ContainerOptions;
  readonly #docker: Docker;
  readonly #userFiles: UserFiles;
  #facts: Promise<EngineFacts> | undefined;
  /** False once the Engine has refused a disk quota. */
  #hasQuotas = true;

  constructor(options: ContainerOptions) {
    this.#options = options;
    this.#docker = options.docker;
    this.#userFiles = new UserFiles(options.docker);
  }

  /** Idempotent: completes a creation that was interrupted. */
  create(spec: MachineSpec, options: CreationOptions, signal?: AbortSignal): Promise<void> {
    return this.#options.volumes.whileCreating(spec.id, spec.volumes, () =>
      this.#create(spec, options, signal),
    );
  }

  async #create(
    spec: MachineSpec,
    { use = 'computer', base: given }: CreationOptions,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const base = given ?? (await this.#baseOf(spec, signal));
    const isNew = await this.#make(spec, base, use, signal);
    if (dialectOf(this.#docker).mapsUsers || base.isOwned) return;
    let found = await this.#inspect(spec.id, signal);
    if (userToAssign(found) === undefined) return;
    const hasVolumes = (spec.volumes ?? []).length > 0;
    if ((!isNew || hasVolumes) && !this.#userFiles.knows(found.Image)) {
      // The interrupted creation may have changed the files, which would be taken for the image's, and
      // those below a volume cannot be seen.
      await this.#remove(found.Id, signal);
      if (hasVolumes) await this.#learn(spec, base, use, signal);
      if (!(await this.#make(spec, base, use, signal))) throw madeByAnother(this.#docker, spec.id);
      found = await this.#inspect(spec.id, signal);
    }
    const id = userToAssign(found);
    if (id === undefined) return;
    const directory = await this.#changedFiles(found);
    await this.#userFiles.assign(
      { container: found.Id, image: found.Image, directory, id },
      signal,
    );
  }

  /** Undefined also with a user namespace, or with mounts: there only the Engine finds the right place. */
  async #changedFiles(found: Docker.ContainerInspectInfo): Promise<string | undefined> {
    if ((await this.facts()).isRemapped || found.Mounts.length > 0) return undefined;
    return changedFiles(this.#docker, found);
  }

  /** Reads the image's files from a container without volumes. */
  async #learn(
    spec: MachineSpec,
    base: Base,
    use: MachineUse,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const isNew = await this.#make({ ...spec, volumes: [] }, base, use, signal);
    if (!isNew) throw madeByAnother(this.#docker, spec.id);
    const { Id, Image } = await this.#inspect(spec.id, signal);
    await this.#userFiles.learn({ container: Id, image: Image }, signal);
    await this.#remove(Id, signal);
  }

  async #baseOf(
    { id, from, image, ownerId }: MachineSpec,
    signal: AbortSignal | undefined,
  ): Promise<Base> {
    if (from === undefined) return { image: imageTag(image), uid: undefined, isOwned: false };
    return this.baseOfSaved({ id, from, ownerId }, undefined, signal);
  }

  /**
   * Computers of different owners have different users: a machine of another owner gets an image of its own.
   * @param user of a machine that is made again
   */
  async baseOfSaved(
    { id, from, ownerId }: Pick<MachineSpec, 'id' | 'ownerId'> & { readonly from: DiskSource },
    user: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Base> {
    const { disks, saves } = this.#options;
    const saved = await disks.image(from, signal);
    const { uid } = saved;
    if (uid === undefined || saved.ownerId === ownerId || dialectOf(this.#docker).mapsUsers)
      return baseOf(saved, user);
    if ((await disks.origin(id, signal)) === undefined) {
      const own = await allocateUser(this.#docker, (await this.facts()).isRemapped, signal);
      await saves.saveFor({ machine: id, ownerId, uid: own }, { ...saved, uid }, signal);
    }
    const origin = await disks.origin(id, signal);
    if (origin === undefined) throw new Error(`the image of ${id} is gone`);
    return baseOf(origin);
  }

  async #inspect(id: string, signal: AbortSignal | undefined) {
    const found = await inspectContainer(this.#docker, machineName(id), signal);
    if (found.Config.Labels[LABEL.service] !== this.#options.serviceId)
      throw notOurs(this.#docker, id);
    return found;
  }

  async #remove(container: string, signal: AbortSignal | undefined): Promise<void> {
    await ask(this.#docker, QUICK_MS, signal, (abortSignal) =>
      this.#docker.getContainer(container).remove({ v: true, abortSignal }),
    ).catch((error) => {
      if (statusOf(error) !== 404) throw error;
    });
  }

  /** Does nothing, and returns false, if a container of this name exists. */
  async #make(
    spec: MachineSpec,
    base: Base,
    use: MachineUse,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const host = { ...(await this.#host(spec, base, signal)), isSpare: use === 'spare' };
    const config = dialectOf(this.#docker).adapt(containerConfig(spec, host));
    try {
      await askToMake(this.#docker, signal, (abortSignal) =>
        this.#docker.createContainer({ ...config, abortSignal }),
      );
      return true;
    } catch (error) {
      if (host.diskGib !== undefined && /storage-opt|storage opt|quota/i.test(messageOf(error))) {
        this.#hasQuotas = false;
        return this.#make(spec, base, use, signal);
      }
      if (statusOf(error) === 404) throw imageMissing(spec.image, dialectOf(this.#docker), error);
      // Podman's answer is 500.
      if (statusOf(error) !== 409 && !/is already in use by/.test(messageOf(error))) throw error;
      return false;
    }
  }

  /** Asked for once. */
  facts(): Promise<EngineFacts> {
    this.#facts ??= ask(this.#docker, QUICK_MS, undefined, (abortSignal) =>
      dialectOf(this.#docker).facts(this.#docker, abortSignal),
    ).catch((error) => {
      this.#facts = undefined;
      throw error;
    });
    return this.#facts;
  }

  async #host(
    { id, volumes }: MachineSpec,
    { image, uid }: Base,
    signal: AbortSignal | undefined,
  ): Promise<Omit<Host, 'isSpare'>> {
    const { serviceId, allowSudo, resolvesNames, directories, diskGib } = this.#options;
    const { cpus, isRemapped } = await this.facts();
    return {
      serviceId,
      cpus,
      allowSudo,
      resolvesNames,
      image,
      uid: dialectOf(this.#docker).mapsUsers
        ? IMAGE_ID
        : (uid ?? (await allocateUser(this.#docker, isRemapped, signal))),
      socketDirectory: directories?.forNew(id),
      volumes: this.#options.volumes.binds(id, volumes),
      diskGib: this.#hasQuotas ? diskGib : undefined,
    };
  }
}

/** Only before its first start: afterwards the files may have changed. */
function userToAssign({ State, Config }: Docker.ContainerInspectInfo): number | undefined {
  return State.Status === 'created' ? Number(Config.Labels[LABEL.uid]) || undefined : undefined;
}

function madeByAnother(docker: Docker, id: string): ApiError {
  const message = `The container ${machineName(id)} was created by another client.`;
  return new ApiError('internal', message, { remedy: removal(docker, id) });
}

function notOurs(docker: Docker, id: string): ApiError {
  const message = `The container ${machineName(id)} does not belong to this service.`;
  return new ApiError('internal', message, { remedy: removal(docker, id) });
}

function removal(docker: Docker, id: string): string {
  return `${dialectOf(docker).program} rm --force ${machineName(id)}`;
}
