import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ApiError } from '../../../../contract/errors.js';
import { isOwn } from '../../../../lib/fs/own-files.js';
import { linkOrCopy } from '../../disk/files.js';
import type { BuiltDisk } from '../disk.js';
import { type InstalledImage, readImage } from '../installed.js';
import { imagesDirectory, putImage } from './store.js';

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
