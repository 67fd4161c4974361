import { chmod, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { linkOrCopy, names, removeDirectory, writeAtomically } from '../files.js';
import { hash, uniqueName } from '../ids.js';
import { FILES } from '../layout.js';
import { Turns } from '../turns.js';

const RECORD = 'template.json';
const COPY_MS = 300_000;

const templateSchema = z.object({
  key: z.string(),
  image: z.string(),
  imageIdentity: z.string(),
  /** Older ones do not say: there was no other then. */
  os: z.enum(['linux', 'windows']).default('linux'),
  cpu: z.number(),
  ram: z.number(),
  resolution: z.object({ width: z.number(), height: z.number() }),
  qemu: z.string(),
  hardware: z.string(),
  createdAt: z.string(),
  /** A file of its own that machines map, or part of the saved state, which each reads whole. */
  memory: z.enum(['mapped', 'saved']).default('mapped'),
  /** Disk files from the lowest to the one that the template's own boot has written. */
  layers: z.array(z.string()),
});

/** What is kept beside a template's files. */
export type TemplateRecord = z.infer<typeof templateSchema>;

/**
 * Saved guests, a directory each. All but the memory is immutable and linked into every machine.
 * QEMU opens memory for writing even where it maps it privately, so each owner gets a copy of it
 * that only the owner's machines can reach: no machine can change what another owner's starts from.
 */
export class TemplateStore {
  readonly #directory: string;
  readonly #copying = new Turns();

  constructor(directory: string) {
    this.#directory = directory;
  }

  of(key: string): string {
    if (!/^[a-f0-9]{24}$/.test(key)) throw new Error(`${JSON.stringify(key)} is no template's key`);
    return join(this.#directory, key);
  }

  /** Undefined when there is none, or none that can be read. */
  async find(key: string): Promise<TemplateRecord | undefined> {
    try {
      return templateSchema.parse(JSON.parse(await readFile(join(this.of(key), RECORD), 'utf8')));
    } catch {
      return undefined;
    }
  }

  async list(): Promise<TemplateRecord[]> {
    const keys = (await names(this.#directory)).filter((name) => /^[a-f0-9]{24}$/.test(name));
    const found = await Promise.all(keys.map((key) => this.find(key)));
    return found.flatMap((template) => template ?? []);
  }

  /** Bytes on the disk that a template takes, without the image below it. */
  async bytes(key: string): Promise<number> {
    const own = (await names(this.of(key))).filter((name) => !SHARED.has(name));
    const sizes = own.map((name) => stat(join(this.of(key), name)).then((s) => s.blocks * 512));
    const settled = await Promise.allSettled(sizes);
    return settled.reduce((sum, size) => sum + (size.status === 'fulfilled' ? size.value : 0), 0);
  }

  /** Makes a finished directory the template of its key. */
  async add(directory: string, record: TemplateRecord): Promise<void> {
    await writeAtomically(join(directory, RECORD), `${JSON.stringify(record, null, 2)}\n`);
    await removeDirectory(this.of(record.key));
    await rename(directory, this.of(record.key));
  }

  /** Machines that were made from it do not need it. */
  async remove(key: string): Promise<void> {
    await removeDirectory(this.of(key));
  }

  /** Makes an owner's copy of the memory unless it is there; undefined: there is none to copy. */
  async prepareFor(
    { key, memory }: Pick<TemplateRecord, 'key' | 'memory'>,
    ownerId: string,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    if (memory === 'saved') return undefined;
    const directory = this.of(key);
    const name = `memory-${hash('owner', ownerId).slice(0, 24)}`;
    await this.#copying.run(`${key}/${name}`, async () => {
      if ((await names(directory)).includes(name)) return;
      const copy = join(directory, `.${uniqueName()}`);
      try {
        const argv = ['--sparse=auto', '--reflink=auto', join(directory, FILES.memory), copy];
        await execa('cp', argv, { timeout: COPY_MS, ...(signal && { cancelSignal: signal }) });
        // The directories that it lies in are closed to everybody but the service and one machine.
        await chmod(copy, process.getuid?.() === 0 ? 0o666 : 0o600);
        await rename(copy, join(directory, name));
      } catch (error) {
        await rm(copy, { force: true });
        throw error;
      }
    });
    return join(directory, name);
  }

  /** Gives a machine of that owner what it starts from. */
  async linkInto(
    template: TemplateRecord,
    ownerId: string,
    directory: string,
    signal?: AbortSignal,
  ): Promise<void> {
    const memory = await this.prepareFor(template, ownerId, signal);
    const from = this.of(template.key);
    const files = template.layers.filter((name) => name !== FILES.image);
    for (const name of [FILES.memory, FILES.state])
      await rm(join(directory, name), { force: true });
    await Promise.all([
      memory && linkOrCopy(memory, join(directory, FILES.memory)),
      ...[...files, FILES.state].map((name) => linkOrCopy(join(from, name), join(directory, name))),
    ]);
  }
}

/** Files that belong to the image. */
const SHARED: ReadonlySet<string> = new Set([FILES.image, FILES.kernel, FILES.initrd]);
