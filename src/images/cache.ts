import { mkdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ApiError } from '../contract/errors.js';
import { closeToOthers, foreignAbove } from '../lib/fs/own-files.js';

/**
 * Folder for files that can be rebuilt: `VC_CACHE_DIR`, else `vc` in `XDG_CACHE_HOME`, else in
 * `~/.cache`. Outside the package's folder, so that all versions share it.
 */
export function defaultCacheDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.VC_CACHE_DIR) {
    return resolve(environment.VC_CACHE_DIR);
  }
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'vc');
}

/**
 * The directory of built images in a cache, created unless it exists.
 *
 * Throws ApiError `forbidden` if another user could replace the images in it: computers of all owners
 * start from them, with root's rights if this is root.
 */
export async function imagesDirectory(cacheDirectory = defaultCacheDirectory()): Promise<string> {
  const wanted = join(cacheDirectory, 'images');
  await refuseForeign(dirname(wanted));
  await mkdir(wanted, { recursive: true, mode: 0o755 });
  const images = await realpath(wanted);
  await closeToOthers(images);
  await refuseForeign(images);
  return images;
}

async function refuseForeign(path: string): Promise<void> {
  const foreign = await foreignAbove(path);
  if (foreign === undefined) return;
  const why =
    foreign.uid === process.geteuid?.() || foreign.uid === 0
      ? 'can be written by every user'
      : 'belongs to another user';
  const message = `${foreign.path} ${why}, who could replace the images in the cache ${path}.`;
  throw new ApiError('forbidden', message, {
    remedy: 'Choose a directory of your own for the cache: VC_CACHE_DIR=DIRECTORY',
  });
}
