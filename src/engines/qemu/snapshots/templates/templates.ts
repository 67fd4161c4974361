import { join } from 'node:path';
import { ApiError } from '../../../../contract/errors.js';
import { withFileLock, withFileLockIfFree } from '../../../../lib/fs/file-lock.js';
import { errorMessage } from '../../../../lib/text/error-message.js';
import type { MachineSpec, Template } from '../../../engine.js';
import { ensureDirectory, finishRemovals, names } from '../../disk/files.js';
import type { QemuHost } from '../../host.js';
import { HARDWARE_VERSION } from '../../machine/arguments.js';
import { type Base, findBase, findIdentity } from '../../machine/base.js';
import type { QemuMachine } from '../../machine/qemu-machine.js';
import { BackgroundBuilds, type BackgroundBuildsTuning } from './background-builds.js';
import { type BuildOptions, buildTemplate, removeBuild } from './build.js';
import {
  isTemplateKey,
  type Shape,
  type ShapeContext,
  type TemplateRecord,
  TemplateStore,
  templateKey,
} from './store.js';

export interface WarmOptions {
  /** Copies the memory for this owner in advance; otherwise the owner's first start does. */
  readonly owner?: string;
  onProgress?(step: string): void;
  readonly signal?: AbortSignal;
}

/** Booted and saved guests from which machines start. */
export interface TemplateSource {
  /** Builds the template of a shape unless it exists. Resolves with its key. */
  warm(shape: Shape, options?: WarmOptions): Promise<string>;
  templates(): Promise<Template[]>;
  /** Machines that started from it are not affected. Idempotent. */
  removeTemplate(key: string): Promise<void>;
}

const BUILDING = '.building-';

/** The templates of this host: builds them, links them into machines and removes stale ones. */
export class Templates implements TemplateSource {
  readonly #host: QemuHost;
  readonly #automatic: boolean;
  readonly #onProblem: (message: string) => void;
  readonly #store: TemplateStore;
  /** Templates in a row that no machine could start from, by key. */
  readonly #failures = new Map<string, number>();
  readonly #background: BackgroundBuilds;

  constructor(
    host: QemuHost,
    options: {
      mode: 'automatic' | 'on-demand';
      onProblem(message: string): void;
      builds?: BackgroundBuildsTuning;
    },
  ) {
    this.#host = host;
    this.#automatic = options.mode === 'automatic';
    this.#onProblem = (message) => options.onProblem(message);
    this.#background = new BackgroundBuilds({
      onProblem: this.#onProblem,
      count: () => this.removeStale(),
      ...options.builds,
    });
    this.#store = new TemplateStore(host.layout.templates);
  }

  async warm(shape: Shape, { owner, onProgress, signal }: WarmOptions = {}): Promise<string> {
    return this.#warm(shape, { owner, onProgress, signal, priority: 'normal' });
  }

  async templates(): Promise<Template[]> {
    // Those of saved disks are listed nowhere.
    const found = (await this.#store.list()).filter(({ from }) => from === undefined);
    return Promise.all(
      found.map(async (template) => ({
        key: template.key,
        image: template.image,
        os: template.os,
        cpu: template.cpu,
        ram: template.ram,
        resolution: template.resolution,
        createdAt: new Date(template.createdAt),
        bytes: await this.#store.bytes(template.key),
        stale: await this.#isStale(template),
      })),
    );
  }

  async removeTemplate(key: string): Promise<void> {
    if (!isTemplateKey(key)) {
      throw new ApiError('invalid_request', `${JSON.stringify(key)} is not a template's key.`);
    }
    await this.#store.remove(key);
  }

  /** Removes an owner's copies of memory; no more are made. */
  forgetOwner(ownerId: string): Promise<void> {
    return this.#store.forgetOwner(ownerId);
  }

  /** The key of the template that such a machine would start from; undefined if there is none. */
  async keyOf(spec: MachineSpec, signal?: AbortSignal): Promise<string | undefined> {
    const { image } = await findBase(this.#host.layout, spec);
    if (image.kind !== 'vc' || image.os !== spec.os) return undefined;
    const key = await this.#key(spec, image, signal);
    return (await this.#store.find(key)) && key;
  }

  /** Links the template of a machine's shape into its directory; null if there is none. */
  async linkTemplate(
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
   * A machine could not start from this template: removes it. After two failures in a row it is
   * built with its memory in the saved state, which every QEMU can load.
   */
  async reportFailure(key: string, reason: unknown): Promise<void> {
    // Several machines may fail at the same time.
    if (await this.#store.find(key)) this.#failures.set(key, this.#failuresOf(key) + 1);
    await this.#discard(key, reason);
  }

  /** A machine has started from this template. */
  reportSuccess(key: string): void {
    this.#failures.delete(key);
  }

  async #discard(key: string, reason: unknown): Promise<void> {
    this.#onProblem(`A template cannot be used and will be rebuilt: ${errorMessage(reason)}`);
    await this.#store.remove(key);
  }

  /**
   * Schedules a build for this shape and owner, in mode `automatic`. Resolves when it has ended,
   * successful or not.
   */
  async buildInBackground(spec: MachineSpec): Promise<void> {
    if (!this.#automatic) return;
    await this.#background.schedule(spec, (shape, signal) =>
      this.#warm(shape, { owner: spec.ownerId, signal, priority: 'background' }),
    );
  }

  /** Removes the remains of builds whose service was killed. Never throws. */
  async removeAbandoned(): Promise<void> {
    const { templates } = this.#host.layout;
    for (const name of await names(templates).catch(() => [])) {
      if (!name.startsWith(BUILDING)) continue;
      const discard = () => removeBuild(join(templates, name));
      await withFileLockIfFree(this.#lockOf(name.slice(BUILDING.length)), discard).catch((error) =>
        this.#onProblem(`An incomplete template (${name}) cannot be removed: ${String(error)}`),
      );
    }
  }

  /** Cancels background builds. */
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
    const base = await findBase(this.#host.layout, shape);
    const { image } = base;
    if (image.kind !== 'vc') {
      const message = `The image "${shape.image}" is an imported disk, which cannot be warmed.`;
      throw new ApiError('unsupported', message);
    }
    const key = await this.#key(shape, image, signal);
    let template = await this.#store.find(key);
    if (template === undefined) {
      await ensureDirectory(this.#host.layout.templates);
      template = await withFileLock(this.#lockOf(key), signal, async () => {
        const found = await this.#store.find(key);
        return found ?? this.#build(key, base, shape, { onProgress, signal, priority });
      });
      await this.removeStale();
    }
    if (owner !== undefined) {
      onProgress('copying');
      await this.#store.copyMemoryFor(template, owner, signal);
    }
    return key;
  }

  async #build(
    key: string,
    base: Base,
    shape: Shape,
    options: Omit<BuildOptions, 'memory'>,
  ): Promise<TemplateRecord> {
    const directory = join(this.#host.layout.templates, BUILDING + key);
    await removeBuild(directory);
    try {
      const memory = this.#failuresOf(key) > 1 ? 'saved' : 'mapped';
      const built = await buildTemplate(this.#host, directory, base, shape, {
        ...options,
        memory,
      });
      const template = {
        ...built,
        key,
        image: shape.image,
        imageIdentity: base.image.identity,
        os: base.image.os,
        from: shape.from,
        cpu: shape.cpu,
        ram: shape.ram,
        resolution: shape.resolution,
        qemu: await this.#host.version(),
        hardware: HARDWARE_VERSION,
        createdAt: new Date().toISOString(),
      };
      await this.#store.add(directory, template);
      return template;
    } catch (error) {
      await removeBuild(directory);
      throw error;
    }
  }

  #failuresOf(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The lock that a build holds. */
  #lockOf(key: string): string {
    return join(this.#host.layout.templates, `${key}.lock`);
  }

  /** Removes the templates whose image has changed or is gone. Returns the number of the others. */
  async removeStale(): Promise<number> {
    await finishRemovals(this.#host.layout.templates);
    let others = 0;
    for (const template of await this.#store.list()) {
      if (await this.#isStale(template)) await this.#store.remove(template.key);
      else others += 1;
    }
    return others;
  }

  async #isStale(
    template: Pick<TemplateRecord, 'image' | 'from' | 'imageIdentity' | 'qemu' | 'hardware'>,
  ): Promise<boolean> {
    const identity = await findIdentity(this.#host.layout, template);
    const version = await this.#host.version().catch(() => template.qemu);
    return (
      identity !== template.imageIdentity ||
      version !== template.qemu ||
      template.hardware !== HARDWARE_VERSION
    );
  }

  async #key(
    shape: Shape,
    image: ShapeContext['image'],
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const version = await this.#host.version();
    const acceleration = await this.#host.acceleration(signal);
    return templateKey(shape, { image, version, acceleration });
  }
}
