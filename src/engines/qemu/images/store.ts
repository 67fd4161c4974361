import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ApiError } from '../../../contract/errors.js';
import { withFileLock } from '../../../lib/fs/file-lock.js';
import { flush } from '../../../lib/fs/flush.js';
import { isOwn } from '../../../lib/fs/own-files.js';
import { makeOwnDirectory } from '../../local-host.js';
import {
  ensureDirectory,
  finishRemovals,
  linkOrCopy,
  names,
  removeDirectory,
} from '../disk/files.js';
import { isImageName, uniqueName } from '../ids.js';
import { Layout } from '../layout.js';
import type { BuiltDisk } from './build-disk.js';
import { type ImageRecord, type InstalledImage, imageRecord, readImage } from './installed.js';

/** Name prefix of images that are being written. */
const WRITING = '.new-';

/** The directory of a service's images. */
export function imagesDirectory(stateDirectory: string): string {
  return new Layout(join(stateDirectory, 'qemu')).images;
}

/** Throws an `Error` for an invalid image name. */
export function checkName(name: string): void {
  if (isImageName(name)) return;
  const shown = JSON.stringify(name.slice(0, 64));
  throw new Error(
    `${shown} cannot be an image's name: 1 to 32 of a-z, 0-9 and "-", not "-" first.`,
  );
}

/** Removes an image; machines made from it keep their files. Idempotent. */
export async function removeImage(
  stateDirectory: string,
  name: string,
  signal?: AbortSignal,
): Promise<void> {
  checkName(name);
  await withStore(stateDirectory, signal, (root) => removeDirectory(join(root, name)));
}

/**
 * Installs an image: `fill` writes its files into a directory and returns its record. The image
 * appears under its name only when all of it is on the disk. Throws if an image of that name exists
 * and `replaces` returns false for it.
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
    const old = await readImage(root, name);
    if (old && !put.replaces(old)) {
      throw new Error(`An image ${name} exists already; remove it first, or choose another name.`);
    }
    const partial = join(root, `${WRITING}${uniqueName()}`);
    await mkdir(partial, { mode: 0o700 });
    try {
      const record = imageRecord.parse(await put.fill(partial));
      await writeFile(join(partial, 'image.json'), `${JSON.stringify(record, null, 2)}\n`);
      for (const file of [...(await readdir(partial)), '.']) await flush(join(partial, file));
      await removeDirectory(join(root, name));
      await rename(partial, join(root, name));
      await flush(root);
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
    const image = await readImage(root, name);
    if (!image) throw new Error(`The image ${name} was written, but cannot be read; try again.`);
    return image;
  });
}

/** Runs `work` with the images locked, after clearing what a crash left. */
async function withStore<T>(
  stateDirectory: string,
  signal: AbortSignal | undefined,
  work: (root: string) => Promise<T>,
): Promise<T> {
  makeOwnDirectory(stateDirectory);
  const root = imagesDirectory(stateDirectory);
  await ensureDirectory(root);
  return withFileLock(join(root, '.lock'), signal, async () => {
    const partial = (await names(root)).filter((name) => name.startsWith(WRITING));
    for (const name of partial) await rm(join(root, name), { recursive: true, force: true });
    await finishRemovals(root);
    return work(root);
  });
}

/**
 * Installs a built disk as an image of the service and replaces an older build of the recipe. Links
 * the files where the cache is on the same file system. Idempotent.
 *
 * Throws ApiError `forbidden` for a file that another user could change afterwards through its own
 * name.
 */
export async function installDisk(
  built: BuiltDisk,
  stateDirectory: string,
  signal?: AbortSignal,
): Promise<InstalledImage> {
  const present = await readImage(imagesDirectory(stateDirectory), built.name);
  if (present?.recipeHash === built.recipeHash) return present;
  return putImage(stateDirectory, built.name, {
    signal,
    replaces: (old) => old.kind === 'vc',
    fill: async (directory) => {
      let bytes = 0;
      for (const file of [built.disk, built.kernel, built.initrd, built.cmdline]) {
        if (!(await isOwn(file, 'file'))) throw notOwn(file);
        await linkOrCopy(file, join(directory, basename(file)));
        bytes += (await stat(file)).blocks * 512;
      }
      return {
        name: built.name,
        os: built.os,
        kind: 'vc',
        recipeHash: built.recipeHash,
        createdAt: new Date().toISOString(),
        bytes,
        shell: { user: 'user' },
      };
    },
  });
}

function notOwn(file: string): ApiError {
  const message = `The file ${file} is not a regular file that only you and root can write.`;
  return new ApiError('forbidden', message, {
    remedy: 'Remove its directory, then build the image again: vc image build NAME --engine qemu',
  });
}
