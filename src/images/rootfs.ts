import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withFileLock } from '../lib/fs/file-lock.js';
import { flush } from '../lib/fs/flush.js';
import { closeToOthers, isOwn } from '../lib/fs/own-files.js';
import { type BuildOptions, bootstrap } from './bootstrap.js';
import { imagesDirectory } from './cache.js';
import type { Recipe } from './recipe.js';

export interface RootfsOptions extends BuildOptions {
  /** Directory of built file systems. */
  readonly cacheDirectory?: string | undefined;
  /** Builds the tarball; replaced in tests. */
  readonly build?: typeof bootstrap;
}

export interface Rootfs {
  /** Path of the uncompressed tarball. */
  readonly tarball: string;
  readonly bytes: number;
}

/**
 * Returns the root file system of a recipe from the cache, or builds it, which takes minutes. At most
 * one build of a recipe runs on the host; other callers wait for it. A tarball gets its name only when
 * it is complete and flushed to the disk; then older ones of the recipe are removed. One that others
 * can have written is built again.
 */
export async function buildRootfs(recipe: Recipe, options: RootfsOptions = {}): Promise<Rootfs> {
  const images = await imagesDirectory(options.cacheDirectory);
  const directory = join(images, `${recipe.name}-${recipe.hash}`);
  const tarball = join(directory, 'rootfs.tar');

  const cached = await findRootfs(tarball);
  if (cached) {
    return cached;
  }
  return withFileLock(join(images, `${recipe.name}.lock`), options.signal, async () => {
    const builtMeanwhile = await findRootfs(tarball);
    if (builtMeanwhile) {
      return builtMeanwhile;
    }
    // Leftovers of a failed build, or one that is not usable.
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { mode: 0o755 });
    await buildInto(directory, tarball, recipe, options);
    await removeOlder(images, recipe.name, recipe.hash);
    return { tarball, bytes: (await stat(tarball)).size };
  });
}

async function findRootfs(tarball: string): Promise<Rootfs | undefined> {
  if (!(await isOwn(dirname(tarball), 'directory')) || !(await isOwn(tarball, 'file'))) {
    return undefined;
  }
  return { tarball, bytes: (await stat(tarball)).size };
}

async function buildInto(
  directory: string,
  tarball: string,
  recipe: Recipe,
  options: RootfsOptions,
): Promise<void> {
  const partial = `${tarball}.partial`;
  try {
    await (options.build ?? bootstrap)(recipe, partial, options);
    await closeToOthers(partial);
    await flush(partial);
    await rename(partial, tarball);
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

/** Removes builds of earlier versions: `<name>-<hash>` with another hash. */
export async function removeOlder(images: string, name: string, hash: string): Promise<void> {
  const version = new RegExp(`^${name}-[0-9a-f]{64}$`);
  for (const entry of await readdir(images)) {
    if (version.test(entry) && entry !== `${name}-${hash}`) {
      await rm(join(images, entry), { recursive: true, force: true });
    }
  }
}
