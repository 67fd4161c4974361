import { randomBytes } from 'node:crypto';
import { ApiError } from '../../../contract/errors.js';
import type { Image } from '../../../contract/resources.js';
import { type Engine, isSnapshotting } from '../../../engines/engine.js';
import { buildImage } from '../../../images/dockerfile/build.js';
import { BuildContext } from '../../../images/dockerfile/context.js';
import type { BuildEvent } from '../../../images/dockerfile/progress.js';
import { withAnySignal } from '../../../lib/async/abort.js';
import type { Log } from '../../../lib/log.js';
import type { Owner } from '../../accounts/api-keys.js';
import { AtOnce } from '../../accounts/at-once.js';
import type { Creation } from '../../computers/creation.js';
import type { Quota } from '../../computers/quota.js';
import type { Machines } from '../../lifecycle/machines.js';
import type { SavedDisks } from '../../snapshots/saved-disks.js';
import type { Store } from '../../store/index.js';
import type { ProjectRow } from '../../store/projects.js';
import type { ImageLabel } from '../../store/saved-disks.js';
import type { Images } from '../images.js';
import { BuildLog } from './log.js';
import { OwnMachines } from './machines.js';
import type { StepCache } from './step-cache.js';

/** Builds of an owner at once: each context can take 2 GiB of the service's disk. */
const MOST_AT_ONCE = 4;

export interface BuildsParts {
  readonly store: Store;
  readonly machines: Machines;
  readonly quota: Quota;
  readonly creation: Creation;
  readonly disks: SavedDisks;
  readonly steps: StepCache;
  readonly images: Images;
  readonly log: Log;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

export interface BuildRequest {
  readonly name: string;
  /** A tar archive. */
  readonly context: AsyncIterable<Uint8Array>;
  readonly dockerfile?: string | undefined;
  readonly target?: string | undefined;
  readonly args: Readonly<Record<string, string>>;
  readonly secrets: ReadonlyMap<string, Buffer>;
  readonly noCache: boolean;
  /** The image is for all owners. */
  readonly shared?: boolean | undefined;
  /** By default the first that saves disks. */
  readonly engine?: string | undefined;
  readonly signal: AbortSignal;
  readonly onEvent: (event: BuildEvent) => void;
}

/**
 * Builds images of owners from Dockerfiles. The steps run in computers of the owner, in a project that
 * is made for the build and removed after it.
 */
export class Builds {
  readonly #parts: BuildsParts;
  readonly #atOnce = new AtOnce('builds of images', MOST_AT_ONCE);
  /** By `OWNER NAME` of the image. */
  readonly #running = new Map<string, Promise<Image>>();

  constructor(parts: BuildsParts) {
    this.#parts = parts;
    // What a service that was killed has left; the reconciler removes it.
    parts.store.buildSteps.abandonProjects();
  }

  build(owner: Owner, request: BuildRequest): Promise<Image> {
    const { images, stopping } = this.#parts;
    return this.#atOnce.run(owner.id, async () => {
      const id = `${owner.id} ${request.name}`;
      if (this.#running.has(id)) {
        const message = `The image ${JSON.stringify(request.name)} is being built already.`;
        throw new ApiError('conflict', message, { remedy: 'Wait until that build has ended.' });
      }
      const label = images.label(owner, request.name, request.shared ?? false);
      const engine = this.#engine(request.engine);
      const building = withAnySignal([request.signal, stopping], (signal) =>
        this.#build(owner, engine, label, { ...request, signal }),
      );
      this.#running.set(id, building);
      try {
        return await building;
      } finally {
        this.#running.delete(id);
      }
    });
  }

  /** Removes the owner's steps that no running build uses. Returns the bytes that this freed. */
  async prune({ id }: Owner): Promise<number> {
    const { store, machines, disks, steps } = this.#parts;
    const before = store.savedDisks.bytes(id);
    let engines: string[] = [];
    const remove = () => {
      engines = steps.prune(id);
    };
    if (!store.writeToFreeSpace(remove)) remove();
    for (const name of engines) {
      await disks.tidy(machines.engine(name), (disk) => disk.owner_id === id);
    }
    return Math.max(0, before - store.savedDisks.bytes(id));
  }

  /** Resolves when no build runs any more, after the service was told to stop. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  #engine(name: string | undefined): Engine {
    const { machines } = this.#parts;
    const able = machines.offered.filter(isSnapshotting);
    const engine = name === undefined ? able[0] : machines.offeredEngine(name);
    if (engine !== undefined && isSnapshotting(engine)) return engine;
    const which = engine ? `The engine "${engine.name}"` : 'This service';
    const [other] = able;
    throw new ApiError('unsupported', `${which} does not build images from Dockerfiles.`, {
      ...(other && { remedy: `Use another engine: --engine ${other.name}` }),
    });
  }

  async #build(
    owner: Owner,
    engine: Engine,
    label: ImageLabel,
    request: BuildRequest,
  ): Promise<Image> {
    const { store, images, disks } = this.#parts;
    const { name, signal, dockerfile, target, args, secrets, noCache } = request;
    const log = new BuildLog([...Object.values(args), ...[...secrets.values()].map(String)]);
    const onEvent = (event: BuildEvent) => {
      log.add(event);
      request.onEvent(event);
    };
    const context = await BuildContext.receive(request.context, {
      directory: store.directory,
      signal,
    });
    let project: ProjectRow | undefined;
    try {
      project = this.#makeProject(owner, name);
      const machines = new OwnMachines({ ...this.#parts, owner, engine, project });
      try {
        const built = await buildImage({
          ...{ context, machines, args, secrets, noCache, signal, onEvent },
          ...(dockerfile !== undefined && { dockerfile }),
          ...(target !== undefined && { target }),
        });
        return await images.publish(owner, label, { ...built, log: log.text }, machines, signal);
      } finally {
        machines.release();
      }
    } finally {
      await context.close();
      if (project !== undefined) await this.#remove(project);
      // Disks that were replaced, and those of steps that are no longer kept.
      if (!this.#parts.stopping.aborted) await disks.tidy(engine).catch(() => undefined);
    }
  }

  #makeProject(owner: Owner, image: string): ProjectRow {
    const { store, quota } = this.#parts;
    return store.transaction(() => {
      quota.refuseManyProjects(owner.id);
      const stem = image.replaceAll('.', '-').slice(0, 40);
      const name = `build-${stem}-${randomBytes(4).toString('hex')}`;
      const project = store.projects.create(owner.id, name);
      if (project === undefined) throw new Error(`there is a project ${name}`);
      store.buildSteps.addProject(project.id);
      return project;
    });
  }

  /** Removes the project with what is left in it; the next start of the service does it otherwise. */
  async #remove({ id }: ProjectRow): Promise<void> {
    const { store, machines, log, stopping } = this.#parts;
    if (stopping.aborted) return;
    try {
      store.writeToFreeSpace(() => void store.projects.markDeleting(id));
      const left = store.computers.listOfProject(id);
      await Promise.all(left.map((record) => machines.of(record).remove()));
      const remove = () => store.projects.remove(id);
      if (!store.writeToFreeSpace(remove)) remove();
    } catch (err) {
      log.warn({ project: id, err }, 'the project of a build is removed later');
    }
  }
}
