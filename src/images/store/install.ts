import { constants } from 'node:fs';
import { copyFile, link, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { BuiltDisk } from '../disk.js';
import { findImage, putImage } from './store.js';
import type { InstalledImage } from './types.js';

export interface InstallOptions {
  readonly stateDirectory: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes a built disk an image of the service, in place of an older one of the recipe. It takes no
 * room where the cache is on the same file system. Idempotent.
 */
export async function installDisk(
  built: BuiltDisk,
  { stateDirectory, signal }: InstallOptions,
): Promise<InstalledImage> {
  const present = await findImage(stateDirectory, built.name);
  if (present?.recipeHash === built.recipeHash) return present;
  return putImage(stateDirectory, built.name, {
    signal,
    replaces: (old) => old.kind === 'vc',
    fill: async (directory) => {
      let bytes = 0;
      for (const file of [built.disk, built.kernel, built.initrd, built.cmdline]) {
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

/** Another file system, or one without links, gets a copy: of the blocks' names if it can do that. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EXDEV' && code !== 'EPERM' && code !== 'EMLINK' && code !== 'ENOTSUP')
      throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  }
}
