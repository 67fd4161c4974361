import { chmod, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { KeyedQueue } from '../../../../lib/async/keyed-queue.js';
import type { MachineShape, MachineSpec } from '../../../engine.js';
import { linkOrCopy, names, removeDirectory, writeAtomically } from '../../disk/files.js';
import type { Acceleration } from '../../host.js';
import { hash, uniqueName } from '../../ids.js';
import type { InstalledImage } from '../../images/installed.js';
import { FILES } from '../../layout.js';
import { HARDWARE_VERSION } from '../../machine/arguments.js';

const RECORD = 'template.json';
const COPY_MS = 300_000;

const templateSchema = z.object({
  key: z.string(),
  image: z.string(),
  imageIdentity: z.string(),
  os: z.enum(['linux', 'windows']),
  cpu: z.number(),
  ram: z.number(),
  resolution: z.object({ width: z.number(), height: z.number() }),
  qemu: z.string(),
  hardware: z.string(),
  createdAt: z.string(),
  /** In a file that machines map, or in the saved state, which each machine loads completely. */
  memory: z.enum(['mapped', 'saved']),
  /** The saved disk that it was made from in place of the image. */
  from: z.object({ id: z.string(), kind: z.enum(['snapshot', 'image']) }).optional(),
  /** Disk files, from the lowest layer to the one that the template's boot has written. */
  layers: z.array(z.string()),
});

/** The content of `template.json`. */
export type TemplateRecord = z.infer<typeof templateSchema>;

export function isTemplateKey(key: string): boolean {
  return /^[a-f0-9]{24}$/.test(key);
}

/**
 * Saved guests, one directory each. All files but the memory are immutable and linked into every
 * machine. QEMU opens the memory file for writing even if it maps it privately, so each owner gets
 * a copy: a machine must not be able to change the memory that another owner's machines start from.
 */
export class TemplateStore {
  readonly #directory: string;
  readonly #copying = new KeyedQueue();
  /** Owners that were deleted: work in the background may still ask for their memory. */
  readonly #forgotten = new Set<string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  of(key: string): string {
    if (!isTemplateKey(key)) throw new Error(`${JSON.stringify(key)} is not a template's key`);
    return join(this.#directory, key);
  }

  /** Undefined if there is none or its record cannot be read. */
  async find(key: string): Promise<TemplateRecord | undefined> {
    try {
      return templateSchema.parse(JSON.parse(await readFile(join(this.of(key), RECORD), 'utf8')));
    } catch {
      return undefined;
    }
  }

  async list(): Promise<TemplateRecord[]> {
    const keys = (await names(this.#directory)).filter(isTemplateKey);
    const found = await Promise.all(keys.map((key) => this.find(key)));
    return found.flatMap((template) => template ?? []);
  }

  /** Size of a template on disk in bytes, without the image. */
  async bytes(key: string): Promise<number> {
    const own = (await names(this.of(key))).filter((name) => !SHARED.has(name));
    const sizes = own.map((name) => stat(join(this.of(key), name)).then((s) => s.blocks * 512));
    const settled = await Promise.allSettled(sizes);
    return settled.reduce((sum, size) => sum + (size.status === 'fulfilled' ? size.value : 0), 0);
  }

  /** Moves a complete directory into the store. */
  async add(directory: string, record: TemplateRecord): Promise<void> {
    await writeAtomically(join(directory, RECORD), `${JSON.stringify(record, null, 2)}\n`);
    await removeDirectory(this.of(record.key));
    await rename(directory, this.of(record.key));
  }

  /** Machines that started from it are not affected. */
  async remove(key: string): Promise<void> {
    await removeDirectory(this.of(key));
  }

  /** Copies the memory for an owner unless that exists; undefined if the memory is not mapped. */
  async copyMemoryFor(
    { key, memory }: Pick<TemplateRecord, 'key' | 'memory'>,
    ownerId: string,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    if (memory === 'saved') return undefined;
    const directory = this.of(key);
    const name = memoryOf(ownerId);
    await this.#copying.run(`${key}/${name}`, async () => {
      if (this.#forgotten.has(ownerId)) throw new Error('its owner was deleted');
      if ((await names(directory)).includes(name)) return;
      const copy = join(directory, `.${uniqueName()}`);
      try {
        const argv = ['--sparse=auto', '--reflink=auto', join(directory, FILES.memory), copy];
        await execa('cp', argv, { timeout: COPY_MS, ...(signal && { cancelSignal: signal }) });
        // Only the service and the machine can enter the directories that the file is linked into.
        await chmod(copy, process.getuid?.() === 0 ? 0o666 : 0o600);
        await rename(copy, join(directory, name));
      } catch (error) {
        await rm(copy, { force: true });
        throw error;
      }
    });
    return join(directory, name);
  }

  /** Removes the owner's copies of every template's memory; no more are made. */
  async forgetOwner(ownerId: string): Promise<void> {
    this.#forgotten.add(ownerId);
    const name = memoryOf(ownerId);
    for (const key of (await names(this.#directory)).filter(isTemplateKey)) {
      await this.#copying.run(`${key}/${name}`, () =>
        rm(join(this.of(key), name), { force: true }),
      );
    }
  }

  /** Links a template's files into the directory of a machine of this owner. */
  async linkInto(
    template: TemplateRecord,
    ownerId: string,
    directory: string,
    signal?: AbortSignal,
  ): Promise<void> {
    const memory = await this.copyMemoryFor(template, ownerId, signal);
    const from = this.of(template.key);
    const files = template.layers.filter((name) => name !== FILES.image).concat(FILES.state);
    for (const name of [FILES.memory, FILES.state])
      await rm(join(directory, name), { force: true });
    if (memory) await linkOrCopy(memory, join(directory, FILES.memory));
    for (const name of files) await linkOrCopy(join(from, name), join(directory, name));
  }
}

/** The file with an owner's copy of a template's memory. */
function memoryOf(ownerId: string): string {
  return `memory-${hash('owner', ownerId).slice(0, 24)}`;
}

/** Files that belong to the image. */
const SHARED: ReadonlySet<string> = new Set([FILES.image, FILES.kernel, FILES.initrd]);

/** What machines must have in common to start from the same template. */
export type Shape = MachineShape & Pick<MachineSpec, 'from'>;

export interface ShapeContext {
  readonly image: Pick<InstalledImage, 'identity'>;
  readonly version: string;
  readonly acceleration: Acceleration;
}

/** A template's key: saved state only resumes where all of this is the same. */
export function templateKey(shape: Shape, { image, version, acceleration }: ShapeContext): string {
  const { width, height } = shape.resolution;
  const machine = [shape.cpu, shape.ram, width, height].map(String);
  const host = [version, acceleration.kind, HARDWARE_VERSION];
  return hash('template', shape.image, image.identity, ...machine, ...host).slice(0, 24);
}
