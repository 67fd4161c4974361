import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { Queue } from '../../../lib/async/queue.js';
import type { DiskSource, SavedDisk } from '../../engine.js';
import { ask, QUICK_MS, STEP_MS } from '../client.js';
import { dialectOf } from '../dialect.js';
import { statusOf } from '../errors.js';
import {
  LABEL,
  originTag,
  parseSavedTag,
  releasedPrefix,
  savedTag,
  withoutRegistry,
} from '../ids.js';
import { queryImages } from '../requests.js';

/** An image that a machine is made from. */
export interface DiskImage {
  /** The Engine's id of it. */
  readonly id: string;
  /** The user that owns the user's files in it; undefined: the user of our images. */
  readonly uid: number | undefined;
  readonly ownerId: string | undefined;
}

type Labels = Readonly<Record<string, string>>;

/**
 * Saved disks: an image each, found by its tag, with labels that the machines made from it inherit. One
 * that is removed gets another tag, until no container needs it: the Engine would remove the image of
 * a stopped container if it was forced to, and does not remove its only tag otherwise.
 */
export class SavedDisks {
  readonly #docker: Docker;
  readonly #serviceId: string;
  /** Whether images wait for containers that need them. */
  #areWaiting = false;
  #savesRunning = 0;
  #savesStarted = 0;
  /** One at a time: with an image the Engine removes parents that nothing else needs, and then fails to. */
  readonly #removals = new Queue();

  constructor(docker: Docker, serviceId: string) {
    this.#docker = docker;
    this.#serviceId = serviceId;
  }

  /** Runs `work`, which makes an image that has no tag at first. */
  async whileSaving<T>(work: () => Promise<T>): Promise<T> {
    this.#savesRunning++;
    this.#savesStarted++;
    try {
      return await work();
    } finally {
      this.#savesRunning--;
    }
  }

  async list(signal?: AbortSignal): Promise<SavedDisk[]> {
    // Podman finds no image with two labels.
    const filters = { label: [`${LABEL.service}=${this.#serviceId}`] };
    const images = await queryImages(this.#docker, filters, signal);
    return images.flatMap(({ Labels, RepoTags }) =>
      tagsOf(RepoTags).flatMap((tag) => {
        const source = parseSavedTag(tag);
        return source === undefined ? [] : [describe(source, Labels)];
      }),
    );
  }

  async find(source: DiskSource, signal?: AbortSignal): Promise<SavedDisk | undefined> {
    const labels = await this.#labels(savedTag(source), signal);
    return labels && describe(source, labels);
  }

  /** Saves a saved disk again, under another id. */
  async copy(from: DiskSource, to: DiskSource, signal?: AbortSignal): Promise<void> {
    const { id } = await this.image(from, signal);
    await this.tag(id, savedTag(to), signal);
  }

  /** Throws `not_found`. */
  async image(source: DiskSource, signal?: AbortSignal): Promise<DiskImage> {
    const found = await this.#inspect(savedTag(source), signal);
    if (found === undefined || found.labels[LABEL.service] !== this.#serviceId) {
      const { engine } = dialectOf(this.#docker);
      throw new ApiError('not_found', `The ${engine} no longer has the disk ${source.id}.`, {
        remedy: 'use another snapshot or image',
      });
    }
    return found;
  }

  /** Idempotent. */
  remove(id: string, signal?: AbortSignal): Promise<void> {
    return this.#removals.run(() => this.#remove(id, signal), signal);
  }

  async #remove(id: string, signal: AbortSignal | undefined): Promise<void> {
    for (const kind of ['snapshot', 'image'] as const) {
      const tag = savedTag({ id, kind });
      if (await this.#labels(tag, signal)) await this.#release(tag, id, signal);
    }
    await this.#collect(signal);
  }

  /** Keeps the image that a machine was made from, unless another is kept already. */
  async keepOrigin(machine: string, image: string, signal?: AbortSignal): Promise<void> {
    if (await this.origin(machine, signal)) return;
    await this.tag(image, originTag(machine), signal);
  }

  /** The image that a machine was made from, if it was kept. */
  origin(machine: string, signal?: AbortSignal): Promise<DiskImage | undefined> {
    return this.#inspect(originTag(machine), signal);
  }

  /** Called when a machine was removed. */
  async forget(machine: string, signal?: AbortSignal): Promise<void> {
    const tag = originTag(machine);
    const isKept = (await this.#inspect(tag, signal)) !== undefined;
    if (isKept) await this.#removals.run(() => this.#release(tag, machine, signal), signal);
    if (isKept) await this.collect(signal);
    else await this.collectWaiting(signal);
  }

  /** Called when a container was removed, which may have been the last that needed a removed disk. */
  async collectWaiting(signal?: AbortSignal): Promise<void> {
    if (this.#areWaiting) await this.collect(signal);
  }

  /** Removes what nothing needs any more. */
  collect(signal?: AbortSignal): Promise<void> {
    return this.#removals.run(() => this.#collect(signal), signal);
  }

  async #collect(signal: AbortSignal | undefined): Promise<void> {
    const { started, isIdle } = { started: this.#savesStarted, isIdle: this.#savesRunning === 0 };
    const images = await queryImages(this.#docker, {}, signal);
    // Otherwise one without a tag may be of a disk that is being saved.
    const withUntagged = isIdle && this.#savesStarted === started;
    let areWaiting = false;
    for (const { Id, RepoTags, Labels } of images) {
      const tags = tagsOf(RepoTags);
      if (tags.length === 0 && !withUntagged) continue;
      const names = this.#unneeded(Id, tags, Labels ?? {});
      for (const name of names) {
        if (!(await this.#removeUnlessUsed(name, signal))) areWaiting = true;
      }
    }
    this.#areWaiting = areWaiting;
  }

  async tag(image: string, tag: string, signal?: AbortSignal): Promise<void> {
    const [repo = '', version] = tag.split(':');
    await ask(this.#docker, QUICK_MS, signal, (abortSignal) =>
      this.#docker.getImage(image).tag({ repo, tag: version, abortSignal }),
    );
  }

  #unneeded(id: string, tags: readonly string[], labels: Labels): readonly string[] {
    const isOurs = labels[LABEL.service] === this.#serviceId && Boolean(labels[LABEL.of]);
    // Its tag was removed while it had children, or before it had one.
    if (isOurs && tags.length === 0) return [id];
    const prefix = releasedPrefix(this.#serviceId);
    return tags.filter((tag) => tag.startsWith(prefix));
  }

  async #release(tag: string, id: string, signal: AbortSignal | undefined): Promise<void> {
    await this.tag(tag, `${releasedPrefix(this.#serviceId)}${id}:latest`, signal);
    await this.#removeUnlessUsed(tag, signal);
  }

  /** False if a container needs it. */
  async #removeUnlessUsed(name: string, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      await ask(this.#docker, STEP_MS, signal, (abortSignal) =>
        this.#docker.getImage(name).remove({ abortSignal }),
      );
      return true;
    } catch (error) {
      if (statusOf(error) === 409) return false;
      if (statusOf(error) === 404) return true;
      throw error;
    }
  }

  /** Undefined for one of another service. */
  async #labels(tag: string, signal: AbortSignal | undefined): Promise<Labels | undefined> {
    const labels = (await this.#inspect(tag, signal))?.labels;
    return labels?.[LABEL.service] === this.#serviceId ? labels : undefined;
  }

  async #inspect(
    tag: string,
    signal: AbortSignal | undefined,
  ): Promise<(DiskImage & { readonly labels: Labels }) | undefined> {
    try {
      const { Id, Config } = await ask(this.#docker, QUICK_MS, signal, () =>
        this.#docker.getImage(tag).inspect(),
      );
      const labels = Config.Labels ?? {};
      const uid = Number(labels[LABEL.uid]) || undefined;
      return { id: Id, uid, ownerId: labels[LABEL.owner], labels };
    } catch (error) {
      if (statusOf(error) === 404) return undefined;
      throw error;
    }
  }
}

function tagsOf(tags: readonly string[] | null | undefined): string[] {
  return (tags ?? []).filter((tag) => tag !== '<none>:<none>').map(withoutRegistry);
}

function describe({ id, kind }: DiskSource, labels: Labels): SavedDisk {
  return {
    id,
    kind,
    machine: labels[LABEL.of] ?? '',
    bytes: Number(labels[LABEL.bytes]) || 0,
    memory: false,
  };
}
