import type Docker from 'dockerode';
import type { ContainerCreateOptions } from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { withAnySignal } from '../../../lib/async/abort.js';
import { KeyedQueue } from '../../../lib/async/keyed-queue.js';
import type { SavedDisk, SaveRequest } from '../../engine.js';
import { ask, askToMake, QUICK_MS, STEP_MS } from '../client.js';
import { dialectOf } from '../dialect.js';
import { statusOf } from '../errors.js';
import { builderName, LABEL, originTag, parseBuilderName, savedTag } from '../ids.js';
import type { Containers } from '../machine/containers.js';
import { inspectContainer, listContainers, removeContainer } from '../requests.js';
import { whileUnmountWaits } from './delayed-unmount.js';
import { copyLayer } from './layer-copy.js';
import { changedFiles } from './layer-files.js';
import { ownershipChange } from './ownership-change.js';
import { resume, StillPaused } from './pausing.js';
import type { DiskImage, SavedDisks } from './saved-disks.js';

export interface SavesOptions {
  readonly docker: Docker;
  readonly serviceId: string;
  readonly containers: Containers;
  readonly disks: SavedDisks;
}

/** A request with the machine whose disk it is. */
interface Job extends SaveRequest {
  readonly machine: string;
}

/** A machine to be made from the image of another owner. */
export interface Recipient {
  readonly machine: string;
  readonly ownerId: string;
  /** Its user. */
  readonly uid: number;
}

/** The image to be made. */
type Tagged = Pick<Job, 'machine' | 'ownerId'> & { readonly tag: string };

/** What a builder is made from, and the labels of its image. */
interface Build {
  readonly id: string;
  readonly image: string;
  readonly machine: string;
  readonly ownerId: string;
  readonly uid: string | undefined;
}

/** For the copy of a disk, and for the image made from it. */
const SAVE_MS = 15 * 60_000;
/** overlayfs takes 128 layers; a container needs some of its own. */
const MOST_LAYERS = 120;

/**
 * Saves the disks of machines as images, through a container that is not started, the builder: the machine
 * is paused while the files that it has changed are copied into the builder, and runs on while the image
 * is made. A builder that is left over says which machine may have been left paused.
 */
export class Saves {
  readonly #options: SavesOptions;
  readonly #docker: Docker;
  readonly #byMachine = new KeyedQueue();
  /** Ids of the disks that are being saved, or whose builders are being removed. */
  readonly #saving = new Set<string>();
  readonly #removals = new Set<Promise<void>>();

  constructor(options: SavesOptions) {
    this.#options = options;
    this.#docker = options.docker;
  }

  /** As of `Snapshotting`. */
  async save(machine: string, request: SaveRequest, signal?: AbortSignal): Promise<SavedDisk> {
    const { disks } = this.#options;
    return this.#byMachine.run(machine, async () => {
      const done = await disks.find(request, signal);
      if (done) return done;
      if (request.of) await disks.copy(request.of, request, signal);
      else await disks.whileSaving(() => this.#save({ ...request, machine }, signal));
      const saved = await disks.find(request, signal);
      if (saved === undefined) throw new Error(`the image of ${request.id} is gone`);
      return saved;
    });
  }

  /**
   * Makes an image of a machine's own, in which the files of the image's user belong to that of the
   * machine, and keeps it as what the machine was made from.
   */
  async saveFor(
    { machine, ownerId, uid }: Recipient,
    image: DiskImage & { readonly uid: number },
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#refuseManyLayers(image.id, signal);
    const build = { id: machine, image: image.id, machine, ownerId, uid: `${uid}` };
    const change = async (builder: string) => {
      const container = this.#docker.getContainer(builder);
      await ask(this.#docker, STEP_MS, signal, (abortSignal) => container.start({ abortSignal }));
      const ended = await ask(this.#docker, SAVE_MS, signal, (abortSignal) =>
        container.wait({ condition: 'not-running', abortSignal }),
      );
      const { StatusCode } = ended as { StatusCode: number };
      if (StatusCode !== 0) {
        const message = 'The files of the image could not be given to the user of the computer.';
        throw new ApiError('conflict', message, { remedy: 'build the image again' });
      }
      const from = { container: builder, bytes: 0, pause: false };
      await this.#commit(from, { ...build, tag: originTag(machine) }, signal);
    };
    const config = ownershipChange(image.uid, uid);
    await this.#options.disks.whileSaving(() => this.#withBuilder(build, config, signal, change));
  }

  /** Resolves when no builder is being removed. */
  async settled(): Promise<void> {
    await Promise.all(this.#removals);
  }

  /** Resumes machines that a killed service or Engine has left paused, and removes what it left. */
  async cleanUp(signal?: AbortSignal): Promise<void> {
    const filters = { label: [`${LABEL.service}=${this.#options.serviceId}`, LABEL.of] };
    const found = await listContainers(this.#docker, filters, signal);
    for (const { Id, Names, Labels } of found) {
      // Machines that were made from a saved disk have its labels.
      const disk = Names.map(parseBuilderName).find((id) => id !== undefined);
      if (disk === undefined || this.#saving.has(disk)) continue;
      await this.#discard(Id, Labels[LABEL.of] ?? '', signal);
    }
  }

  async #save(job: Job, signal: AbortSignal | undefined): Promise<void> {
    const { Id } = await this.#options.containers.find(job.machine, signal);
    const machine = await inspectContainer(this.#docker, Id, signal);
    await this.#refuseManyLayers(machine.Image, signal);
    const uid = machine.Config.Labels[LABEL.uid];
    await this.#withBuilder({ ...job, image: machine.Image, uid }, {}, signal, (builder) =>
      this.#makeImage(machine, builder, job, signal),
    );
  }

  async #withBuilder(
    build: Build,
    config: Partial<ContainerCreateOptions>,
    signal: AbortSignal | undefined,
    work: (builder: string) => Promise<void>,
  ): Promise<void> {
    this.#saving.add(build.id);
    try {
      const builder = await this.#makeBuilder(build, config, signal);
      try {
        await work(builder);
      } catch (error) {
        // The next clean-up finds the machine by its builder.
        if (!(error instanceof StillPaused)) await removeContainer(this.#docker, builder);
        throw error;
      }
      this.#removeLater(builder, build.id);
    } catch (error) {
      this.#saving.delete(build.id);
      throw error;
    }
  }

  /** The caller need not wait for it; if it fails, the next clean-up removes the builder. */
  #removeLater(builder: string, id: string): void {
    const removal = removeContainer(this.#docker, builder)
      .catch(() => undefined)
      .finally(() => {
        this.#saving.delete(id);
        this.#removals.delete(removal);
      });
    this.#removals.add(removal);
  }

  async #refuseManyLayers(image: string, signal: AbortSignal | undefined): Promise<void> {
    const { RootFS } = await ask(this.#docker, QUICK_MS, signal, () =>
      this.#docker.getImage(image).inspect(),
    );
    if ((RootFS?.Layers?.length ?? 0) < MOST_LAYERS) return;
    const message = `The computer's disk has ${MOST_LAYERS} layers; it cannot be saved again.`;
    const remedy = 'create a new computer, and copy the files that you need into it';
    throw new ApiError('conflict', message, { remedy });
  }

  /** The image gets its labels: none that a machine is found by. */
  async #makeBuilder(
    { id, image, machine, ownerId, uid = '' }: Build,
    more: Partial<ContainerCreateOptions>,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const config = {
      name: builderName(id),
      Image: image,
      Entrypoint: ['/bin/true'],
      Cmd: [],
      Labels: {
        [LABEL.service]: this.#options.serviceId,
        [LABEL.of]: machine,
        [LABEL.owner]: ownerId,
        [LABEL.uid]: uid,
      },
      ...more,
      HostConfig: {
        ...{ NetworkMode: 'none', LogConfig: dialectOf(this.#docker).logConfig },
        ...more.HostConfig,
      },
    };
    const make = () =>
      askToMake(this.#docker, signal, (abortSignal) =>
        this.#docker.createContainer({ ...config, abortSignal }),
      );
    const builder = await make().catch(async (error) => {
      if (statusOf(error) !== 409) throw error;
      // A save of this disk was interrupted.
      await this.#discard(builderName(id), machine, signal);
      return make();
    });
    return builder.id;
  }

  async #makeImage(
    machine: Docker.ContainerInspectInfo,
    builder: string,
    job: Job,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const tagged = { ...job, tag: savedTag(job) };
    const from = await changedFiles(this.#docker, machine);
    const made = from && (await inspectContainer(this.#docker, builder, signal));
    const to = made && (await changedFiles(this.#docker, made));
    if (from === undefined || to === undefined) {
      await this.#commitMachine(machine.Id, tagged, signal);
      return;
    }
    const bytes = await withAnySignal([signal, AbortSignal.timeout(SAVE_MS)], (own) =>
      copyLayer(this.#docker, machine, { from, to }, own),
    );
    const commit = () => this.#commit({ container: builder, bytes, pause: false }, tagged, signal);
    if (dialectOf(this.#docker).mountsToCommit) {
      await whileUnmountWaits(to, machine.State.Pid, commit);
    } else await commit();
  }

  /** Where its files cannot be reached: the Engine pauses it until the image is made. */
  async #commitMachine(
    container: string,
    job: Tagged,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { firstHostId, title } = dialectOf(this.#docker);
    if (firstHostId !== undefined) {
      // The owners of files in the Engine's own image would be those on the host.
      const message = `${title} saves disks with the storage driver overlay only.`;
      const remedy = 'set driver = "overlay" in /etc/containers/storage.conf';
      throw new ApiError('unsupported', message, { remedy });
    }
    const options = { size: true };
    const found = await ask(this.#docker, STEP_MS, signal, (abortSignal) =>
      this.#docker.getContainer(container).inspect({ ...options, abortSignal }),
    );
    const { SizeRw = 0 } = found as { readonly SizeRw?: number };
    await this.#commit({ container, bytes: SizeRw, pause: true }, job, signal);
  }

  async #commit(
    from: { readonly container: string; readonly bytes: number; readonly pause: boolean },
    { tag: name, machine, ownerId }: Tagged,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const [repo, tag] = name.split(':');
    const labels = {
      ...(from.pause ? NO_MACHINE : {}),
      [LABEL.of]: machine,
      [LABEL.owner]: ownerId,
      [LABEL.bytes]: `${from.bytes}`,
    };
    const changes = Object.entries(labels).map(([name, value]) => `LABEL ${name}=${value}`);
    const options = { repo, tag, pause: from.pause, changes };
    const commit = (abortSignal: AbortSignal) =>
      this.#docker.getContainer(from.container).commit({ ...options, abortSignal });
    await askToMake(this.#docker, signal, commit, SAVE_MS);
    signal?.throwIfAborted();
  }

  /** Removes a builder that was left over. Its machine may have been left paused. */
  async #discard(builder: string, machine: string, signal: AbortSignal | undefined): Promise<void> {
    for (const { Id, State } of await this.#options.containers.list(machine, signal)) {
      if (State === 'paused') await resume(this.#docker, Id);
    }
    await removeContainer(this.#docker, builder);
  }
}

/** An image that is made from a machine's container has all its labels, which can only be emptied. */
const NO_MACHINE = { [LABEL.machine]: '', [LABEL.project]: '', [LABEL.spare]: '' };
