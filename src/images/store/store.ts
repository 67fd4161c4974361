import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { flush } from '../flush.js';
import { withFileLock } from '../lock.js';
import {
  checkName,
  IMAGE_NAME,
  type ImageRecord,
  type InstalledImage,
  imageRecord,
} from './types.js';

/** Names of folders that are not images yet, or not any more. */
const UNFINISHED = /^\.(new|old)-/;

/** Where the images of a service are. */
export function imagesDirectory(stateDirectory: string): string {
  return join(stateDirectory, 'qemu', 'images');
}

/** Every whole image, by name. */
export async function listImages(stateDirectory: string): Promise<InstalledImage[]> {
  const root = imagesDirectory(stateDirectory);
  const names = await readdir(root).catch(() => []);
  const images = await Promise.all(
    names.filter((name) => IMAGE_NAME.test(name)).map((name) => read(join(root, name))),
  );
  return images.filter((image) => image !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The image called `name`; `undefined` if there is none, or if its record cannot be read. */
export async function findImage(
  stateDirectory: string,
  name: string,
): Promise<InstalledImage | undefined> {
  if (!IMAGE_NAME.test(name)) return undefined;
  return read(join(imagesDirectory(stateDirectory), name));
}

/** Removes an image; machines made from it keep what they need. Idempotent. */
export async function removeImage(
  stateDirectory: string,
  name: string,
  signal?: AbortSignal,
): Promise<void> {
  checkName(name);
  await withStore(stateDirectory, signal, async (root) => {
    await setAside(root, name);
  });
}

/**
 * Puts an image where it is found: `fill` writes its files into a folder and returns its record.
 * The image appears under its name when all of it is on the disk, and not at all when that fails.
 * One of that name is replaced if `replaces` says so of it; else this throws.
 */
export async function putImage(
  stateDirectory: string,
  name: string,
  put: {
    replaces(old: InstalledImage): boolean;
    fill(directory: string): Promise<ImageRecord>;
    signal?: AbortSignal | undefined;
  },
): Promise<InstalledImage> {
  checkName(name);
  return withStore(stateDirectory, put.signal, async (root) => {
    const directory = join(root, name);
    const old = await read(directory);
    if (old && !put.replaces(old)) {
      throw new Error(
        `There is an image called ${name} already; remove it first, or take another name.`,
      );
    }
    const partial = join(root, `.new-${randomBytes(8).toString('hex')}`);
    await mkdir(partial, { mode: 0o700 });
    try {
      const record = imageRecord.parse(await put.fill(partial));
      await writeFile(join(partial, 'image.json'), `${JSON.stringify(record, null, 2)}\n`);
      for (const file of [...(await readdir(partial)), '.']) await flush(join(partial, file));
      await setAside(root, name);
      await rename(partial, directory);
      await flush(root);
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
    const image = await read(directory);
    if (!image) throw new Error(`The image ${name} was written, but cannot be read; try again.`);
    return image;
  });
}

/** One at a time changes the store, and first clears what a crash left in it. */
async function withStore<T>(
  stateDirectory: string,
  signal: AbortSignal | undefined,
  work: (root: string) => Promise<T>,
): Promise<T> {
  const root = imagesDirectory(stateDirectory);
  await mkdir(root, { recursive: true, mode: 0o700 });
  await chmod(root, 0o700);
  return withFileLock(join(root, '.lock'), signal, async () => {
    for (const name of await readdir(root)) {
      if (UNFINISHED.test(name)) await rm(join(root, name), { recursive: true, force: true });
    }
    return work(root);
  });
}

/** Takes the name away at once, then the files, so that no half image is ever found. */
async function setAside(root: string, name: string): Promise<void> {
  const aside = join(root, `.old-${randomBytes(8).toString('hex')}`);
  try {
    await rename(join(root, name), aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  await rm(aside, { recursive: true, force: true });
}

async function read(directory: string): Promise<InstalledImage | undefined> {
  const text = await readFile(join(directory, 'image.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const record = imageRecord.safeParse(parse(text));
  if (!record.success) return undefined;
  const privateKey = await readFile(join(directory, 'key'), 'utf8').catch(() => undefined);
  const { shell, ...rest } = record.data;
  return {
    ...rest,
    directory,
    shell: shell && { ...shell, ...(privateKey !== undefined && { privateKey }) },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
