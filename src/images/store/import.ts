import { chmod, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { detectFormat } from './format.js';
import { checkImage, convertImage } from './qemu-img.js';
import { putImage } from './store.js';
import { checkName, type InstalledImage } from './types.js';

export interface ImportOptions {
  readonly name: string;
  /** A disk image that boots: qcow2, raw, vmdk, vdi or vhdx. It is copied, and not changed. */
  readonly file: string;
  readonly os: 'linux' | 'windows';
  readonly firmware: 'bios' | 'uefi';
  /** Who logs in over SSH, with an OpenSSH private key if the image has its public half already. */
  readonly shell: { readonly user: string; readonly privateKey?: string } | null;
  readonly stateDirectory: string;
  readonly signal?: AbortSignal | undefined;
  onProgress?(line: string): void;
}

/**
 * Makes an image of any disk that boots. Throws an `Error` for a name that is taken or cannot be
 * one, and for a file that is damaged, encrypted, no disk, or needs other files; nothing is left then.
 */
export async function importDisk(options: ImportOptions): Promise<InstalledImage> {
  const { name, os, firmware, shell, stateDirectory, signal, onProgress } = options;
  checkName(name);
  const file = resolve(options.file);
  const format = await detectFormat(file);
  await checkImage(file, format, signal);
  return putImage(stateDirectory, name, {
    signal,
    replaces: () => false,
    fill: async (directory) => {
      const disk = join(directory, 'disk.qcow2');
      onProgress?.(`copying the disk, which is ${format}`);
      await convertImage(file, format, disk, signal);
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
