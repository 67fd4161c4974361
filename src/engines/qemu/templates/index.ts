import { join } from 'node:path';
import { ApiError } from '../../../contract/errors.js';
import { withFileLock, withFileLockIfFree } from '../../../images/lock.js';
import type { MachineSpec } from '../../engine.js';
import { HARDWARE_VERSION } from '../arguments.js';
import { ensureDirectory, finishRemovals, names } from '../files.js';
import type { Host } from '../host.js';
import { findImage, type InstalledImage } from '../images.js';
import type { QemuMachine } from '../machine.js';
import { BackgroundBuilds } from './background.js';
import { type BuildOptions, buildTemplate, discardBuild } from './build.js';
import { type Shape, templateKey } from './key.js';
import { type TemplateRecord, TemplateStore } from './store.js';

export type { Shape } from './key.js';

/** What is said of a template. */
export interface TemplateInfo extends Shape {
  readonly key: string;
  readonly os: 'linux' | 'windows';
  /** On the disk, without the image. */
  readonly bytes: number;
  readonly createdAt: Date;
  /** Its image or QEMU has changed since: no machine starts from it any more. */
  readonly stale: boolean;
}

export interface WarmOptions {
  /** Whose machines are to start from it at once; without one their first start copies memory. */
  readonly owner?: string;
  onProgress?(step: string): void;
  readonly signal?: AbortSignal;
}

/** Ready-booted machines to start others from. */
export interface TemplateSource {
  /** Makes the template of a shape unless it is there. Resolves with its key. */
  warm(shape: Shape, options?: WarmOptions): Promise<string>;
  templates(): Promise<TemplateInfo[]>;
  /** Machines that were made from it go on as they are. Idempotent. */
  removeTemplate(key: string): Promise<void>;
}

const BUILDING = '.building-';

export class Templates implements TemplateSource {
  readonly #host: Host;
  readonly #automatic: boolean;
  readonly #onProblem: (message: string) => void;
  readonly #store: TemplateStore;
  /** How many in a row no machine could be started from, by key. */
  readonly #rejections = new Map<string, number>();
  readonly #background: BackgroundBuilds;

  constructor(
    host: Host,
    options: { mode: 'automatic' | 'on-demand'; onProblem(message: string): void },
  ) {
    this.#host = host;
    this.#automatic = options.mode === 'automatic';
    this.#onProblem = (message) => options.onProblem(message);
    this.#background = new BackgroundBuilds(this.#onProblem);
    this.#store = new TemplateStore(host.layout.templates);
  }

  async warm(shape: Shape, { owner, onProgress, signal }: WarmOptions = {}): Promise<string> {
    return this.#warm(shape, { owner, onProgress, signal, priority: 'normal' });
  }

  async templates(): Promise<TemplateInfo[]> {
    const found = await this.#store.list();
    return Promise.all(
      found.map(async ({ key, image, os, cpu, ram, resolution, createdAt, ...rest }) => ({
        ...{ key, image, os, cpu, ram, resolution, createdAt: new Date(createdAt) },
        bytes: await this.#store.bytes(key),
        stale: await this.#isStale({ image, ...rest }),
      })),
    );
  }

  async removeTemplate(key: string): Promise<void> {
    if (!/^[a-f0-9]{24}$/.test(key)) {
      throw new ApiError('invalid_request', `${JSON.stringify(key)} is not a template's key.`);
    }
    await this.#store.remove(key);
  }

  /** The key of the template that a machine like this would start from; undefined: there is none. */
  async keyOf(spec: MachineSpec, signal?: AbortSignal): Promise<string | undefined> {
    const image = await findImage(this.#host.layout.images, spec.image);
    if (image.kind !== 'vc' || image.os !== spec.os) return undefined;
    const key = await this.#key(spec, image, signal);
    return (await this.#store.find(key)) && key;
  }

  /** Lays what a machine of this shape starts from into its directory; null if there is nothing. */
  async offer(
    machine: QemuMachine,
    signal?: AbortSignal,
  ): Promise<Pick<TemplateRecord, 'key' | 'layers' | 'memory'> | null> {
    const { record } = machine;
    if (record === undefined) return null;
    const key = await this.#key(record.spec, record.image, signal);
    const template = await this.#store.find(key);
    if (template === undefined) return null;
    try {
      await this.#store.linkInto(template, record.spec.ownerId, machine.directory, signal);
      return template;
    } catch (error) {
      signal?.throwIfAborted();
      await this.#discard(key, error);
      return null;
    }
  }

  /**
   * No machine could be started from it: it is made anew when it is wanted next, and if that is of
   * no use either, with its memory in the saved state, which every QEMU can read.
   */
  async reject(key: string, reason: unknown): Promise<void> {
    // Several machines may find out at the same time.
    if (await this.#store.find(key)) this.#rejections.set(key, this.#rejectionsOf(key) + 1);
    await this.#discard(key, reason);
  }

  /** A machine was started from it. */
  proved(key: string): void {
    this.#rejections.delete(key);
  }

  async #discard(key: string, reason: unknown): Promise<void> {
    const words = reason instanceof Error ? reason.message : String(reason);
    this.#onProblem(`A template could not be used and is made anew: ${words}`);
    await this.#store.remove(key);
  }

  /** A machine had to be booted for want of a template: later ones shall have it better. */
  wanted(spec: MachineSpec): void {
    if (!this.#automatic) return;
    this.#background.begin(spec, (shape, signal) =>
      this.#warm(shape, { owner: spec.ownerId, signal, priority: 'background' }),
    );
  }

  /** Removes what builds have left that were broken off with their service. Never throws. */
  async discardAbandoned(): Promise<void> {
    const { templates } = this.#host.layout;
    for (const name of await names(templates).catch(() => [])) {
      if (!name.startsWith(BUILDING)) continue;
      const discard = () => discardBuild(join(templates, name));
      await withFileLockIfFree(this.#lockOf(name.slice(BUILDING.length)), discard).catch((error) =>
        this.#onProblem(`What is left of a template (${name}) stays: ${String(error)}`),
      );
    }
  }

  /** Gives up what is made in the background. */
  close(): Promise<void> {
    return this.#background.close();
  }

  async #warm(
    shape: Shape,
    options: Omit<WarmOptions, 'signal'> & {
      priority: 'normal' | 'background';
      signal: AbortSignal | undefined;
    },
  ): Promise<string> {
    const { owner, onProgress = () => undefined, signal, priority } = options;
    const image = await findImage(this.#host.layout.images, shape.image);
    if (image.kind !== 'vc') {
      const message = `Only our own images are kept ready; "${image.name}" is an imported disk.`;
      throw new ApiError('unsupported', message);
    }
    const key = await this.#key(shape, image, signal);
    let template = await this.#store.find(key);
    if (template === undefined) {
      const { templates } = this.#host.layout;
      await ensureDirectory(templates);
      template = await withFileLock(this.#lockOf(key), signal, async () => {
        const found = await this.#store.find(key);
        return found ?? this.#build(key, image, shape, { onProgress, signal, priority });
      });
      await this.#tidy();
    }
    if (owner !== undefined) {
      onProgress('copying');
      await this.#store.prepareFor(template, owner, signal);
    }
    return key;
  }

  async #build(
    key: string,
    image: InstalledImage,
    shape: Shape,
    options: Omit<BuildOptions, 'memory'>,
  ): Promise<TemplateRecord> {
    const directory = join(this.#host.layout.templates, BUILDING + key);
    await discardBuild(directory);
    try {
      const memory = this.#rejectionsOf(key) > 1 ? 'saved' : 'mapped';
      const built = await buildTemplate(this.#host, directory, image, shape, {
        ...options,
        memory,
      });
      const template = {
        ...{ key, image: shape.image, imageIdentity: image.identity, os: image.os, ...built },
        ...{ cpu: shape.cpu, ram: shape.ram, resolution: shape.resolution },
        ...{ qemu: await this.#host.version(), hardware: HARDWARE_VERSION },
        createdAt: new Date().toISOString(),
      };
      await this.#store.add(directory, template);
      return template;
    } catch (error) {
      await discardBuild(directory);
      throw error;
    }
  }

  #rejectionsOf(key: string): number {
    return this.#rejections.get(key) ?? 0;
  }

  /** Who builds a template holds it. */
  #lockOf(key: string): string {
    return join(this.#host.layout.templates, `${key}.lock`);
  }

  /** Removes what no machine will start from any more. */
  async #tidy(): Promise<void> {
    const { templates } = this.#host.layout;
    await finishRemovals(templates);
    for (const template of await this.#store.list()) {
      if (await this.#isStale(template)) await this.#store.remove(template.key);
    }
  }

  async #isStale(
    template: Pick<TemplateRecord, 'image' | 'imageIdentity' | 'qemu' | 'hardware'>,
  ): Promise<boolean> {
    const image = await findImage(this.#host.layout.images, template.image).catch(() => undefined);
    const version = await this.#host.version().catch(() => template.qemu);
    return (
      image?.identity !== template.imageIdentity ||
      version !== template.qemu ||
      template.hardware !== HARDWARE_VERSION
    );
  }

  async #key(
    shape: Shape,
    image: Pick<InstalledImage, 'identity'>,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const version = await this.#host.version();
    const acceleration = await this.#host.acceleration(signal);
    return templateKey(shape, { image, version, acceleration });
  }
}
