import { chmod, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ImportRequest } from '../../../descriptor.js';
import type { InstalledImage } from '../installed.js';
import { detectFormat } from './format.js';
import { checkImage, convertImage } from './qemu-img.js';
import { checkName, putImage } from './store.js';

/**
 * Installs a copy of a bootable disk as an image. Throws an `Error` for a name that is invalid or
 * taken, and for a file that is damaged, encrypted, not a disk, or needs other files; then it
 * leaves nothing behind.
 */
export async function importDisk(
  stateDirectory: string,
  request: ImportRequest,
): Promise<InstalledImage> {
  const { name, os, firmware, shell, signal, onProgress } = request;
  checkName(name);
  const file = resolve(request.file);
  const version = await versionOf(file);
  const format = await detectFormat(file);
  await checkImage(file, format, signal);
  return putImage(stateDirectory, name, {
    signal,
    replaces: () => false,
    fill: async (directory) => {
      const disk = join(directory, 'disk.qcow2');
      onProgress(`copying the disk, which is ${format}`);
      await convertImage(file, format, disk, signal);
      // Its owner could have made it refer to another file after the checks.
      if ((await versionOf(file)) !== version) {
        throw new Error(`${file} was changed while it was imported; try again.`);
      }
      await chmod(disk, 0o444);
      if (shell?.privateKey !== undefined) {
        await writeFile(join(directory, 'key'), shell.privateKey, { mode: 0o600 });
      }
      return {
        name,
        os,
        kind: 'disk',
        createdAt: new Date().toISOString(),
        bytes: (await stat(disk)).blocks * 512,
        firmware,
        shell: shell && { user: shell.user },
      };
    },
  });
}

/** Differs after every change of the file, which nobody but root can hide. */
async function versionOf(file: string): Promise<string | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found && [found.dev, found.ino, found.size, found.ctimeNs].join(' ');
}
