import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../contract/errors.js';
import { withFileLock, withFileLockIfFree } from '../../../images/lock.js';
import type { MachineSpec } from '../../engine.js';
import { HARDWARE_VERSION } from '../arguments.js';
import { ensureDirectory, finishRemovals, names } from '../files.js';
import { type Host, spareMemory } from '../host.js';
import { findImage, type InstalledImage } from '../images.js';
import type { QemuMachine } from '../machine.js';
import { buildTemplate, discardBuild } from './build.js';
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
/** A computer that somebody waits for comes first. */
const PATIENCE_MS = 20_000;
/** Memory in bytes that must remain to the host while a template is made that nobody waits for. */
const RESERVE = 2 * 2 ** 30;

export class Templates implements TemplateSource {
  readonly #host: Host;
  readonly #automatic: boolean;
  readonly #onProblem: (message: string) => void;
  readonly #store: TemplateStore;
  readonly #closing = new AbortController();
  /** Builds in the background by key; failed ones are not tried again by themselves. */
  readonly #background = new Map<string, Promise<unknown>>();

  constructor(
    host: Host,
    options: { mode: 'automatic' | 'on-demand'; onProblem(message: string): void },
  ) {
    this.#host = host;
    this.#automatic = options.mode === 'automatic';
    this.#onProblem = (message) => options.onProblem(message);
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
  ): Promise<{ key: string; layers: readonly string[] } | null> {
    const { record } = machine;
    if (record === undefined) return null;
    const key = await this.#key(record.spec, record.image, signal);
    const template = await this.#store.find(key);
    if (template === undefined) return null;
    try {
      const memory = await this.#store.prepareFor(key, record.spec.ownerId, signal);
      await this.#store.linkInto(template, memory, machine.directory);
      return { key, layers: template.layers };
    } catch (error) {
      signal?.throwIfAborted();
      await this.reject(key, error);
      return null;
    }
  }

  /** No machine could be started from it: it is made anew when it is wanted next. */
  async reject(key: string, reason: unknown): Promise<void> {
    const words = reason instanceof Error ? reason.message : String(reason);
    this.#onProblem(`A template could not be used and is made anew: ${words}`);
    await this.#store.remove(key);
  }

  /** A machine had to be booted for want of a template: later ones shall have it better. */
  wanted(spec: MachineSpec): void {
    if (!this.#automatic || this.#closing.signal.aborted) return;
    const { signal } = this.#closing;
    const name = JSON.stringify([spec.image, spec.cpu, spec.ram, spec.resolution]);
    if (this.#background.has(name)) return;
    const work = async () => {
      await sleep(PATIENCE_MS, undefined, { signal, ref: false });
      if ((await spareMemory()) < spec.ram * 2 ** 30 + RESERVE) return;
      await this.#warm(spec, { owner: spec.ownerId, signal, priority: 'background' });
    };
    const building = work().then(
      () => this.#background.delete(name),
      (error) => {
        if (signal.aborted) return;
        const words = error instanceof Error ? error.message : String(error);
        this.#onProblem(`A template could not be made: ${words}`);
      },
    );
    this.#background.set(name, building);
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
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#background.values());
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
    if (!(await this.#store.find(key))) {
      const { templates } = this.#host.layout;
      await ensureDirectory(templates);
      await withFileLock(this.#lockOf(key), signal, async () => {
        if (await this.#store.find(key)) return;
        await this.#build(key, image, shape, { onProgress, signal, priority });
      });
      await this.#tidy();
    }
    if (owner !== undefined) {
      onProgress('copying');
      await this.#store.prepareFor(key, owner, signal);
    }
    return key;
  }

  async #build(
    key: string,
    image: InstalledImage,
    shape: Shape,
    options: Parameters<typeof buildTemplate>[4],
  ): Promise<void> {
    const directory = join(this.#host.layout.templates, BUILDING + key);
    await discardBuild(directory);
    try {
      const layers = await buildTemplate(this.#host, directory, image, shape, options);
      await this.#store.add(directory, {
        ...{ key, image: shape.image, imageIdentity: image.identity, os: image.os, layers },
        ...{ cpu: shape.cpu, ram: shape.ram, resolution: shape.resolution },
        ...{ qemu: await this.#host.version(), hardware: HARDWARE_VERSION },
        createdAt: new Date().toISOString(),
      });
    } catch (error) {
      await discardBuild(directory);
      throw error;
    }
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
