import { chmod, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { ApiError } from '../../../contract/errors.js';
import { parseJson } from '../../../lib/json/parse.js';
import type { ImportRequest } from '../../descriptor.js';
import { type DiskFormat, detectFormat } from './format.js';
import type { InstalledImage } from './installed.js';
import { checkName, putImage } from './store.js';

const INFO_MS = 30_000;
const CHECK_MS = 600_000;
const CONVERT_MS = 3_600_000;
/** Exit codes of `qemu-img check`: no errors; only leaked clusters; the format has no check. */
const CHECK_OK = [0, 3, 63];
/** Largest virtual size: more is a mistake or an attack. */
const MOST_BYTES = 16 * 2 ** 40;
const information = z.object({
  format: z.string(),
  'virtual-size': z.number().positive(),
  'backing-filename': z.string().optional(),
  encrypted: z.boolean().optional(),
});

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

/** Opens a disk image as exactly this format and never opens another file. */
function source(path: string, format: DiskFormat): string {
  const backing = format === 'qcow2' || format === 'vmdk' ? { backing: null } : {};
  const file = { driver: 'file', filename: path, locking: 'off' };
  return `json:${JSON.stringify({ driver: format, 'read-only': true, ...backing, file })}`;
}

/** Throws an `Error` unless `path` is a whole image that needs no other file. */
async function checkImage(path: string, format: DiskFormat, signal?: AbortSignal): Promise<void> {
  const args = ['info', '--output=json', source(path, format)];
  const info = information.safeParse(parseJson(await qemuImg(path, args, INFO_MS, signal)));
  if (!info.success) throw new Error(`${path} is not a disk image that QEMU understands.`);
  const { encrypted } = info.data;
  if (encrypted) throw new Error(`${path} is encrypted; decrypt it first.`);
  if (info.data['backing-filename'] !== undefined) {
    throw new Error(`${path} has a backing file; make one whole image of it first.`);
  }
  if (info.data['virtual-size'] > MOST_BYTES) {
    throw new Error(`${path} has a virtual size of more than 16 TiB.`);
  }
  if (format !== 'raw') {
    await qemuImg(path, ['check', '-q', source(path, format)], CHECK_MS, signal, CHECK_OK);
  }
}

/** Writes the disk as a standalone qcow2 file. */
async function convertImage(
  path: string,
  format: DiskFormat,
  target: string,
  signal?: AbortSignal,
): Promise<void> {
  const args = ['convert', '-O', 'qcow2', source(path, format), target];
  await qemuImg(path, args, CONVERT_MS, signal);
}

async function qemuImg(
  path: string,
  args: readonly string[],
  timeout: number,
  signal: AbortSignal | undefined,
  good: readonly number[] = [0],
): Promise<string> {
  signal?.throwIfAborted();
  const result = await execa('qemu-img', args, {
    timeout,
    reject: false,
    stdin: 'ignore',
    env: { LC_ALL: 'C.UTF-8' },
    ...(signal && { cancelSignal: signal }),
  });
  signal?.throwIfAborted();
  if (result.code === 'ENOENT') {
    throw new ApiError('unsupported', 'Importing a disk needs qemu-img.', {
      remedy: 'Install it: vc setup',
      cause: result,
    });
  }
  if (result.exitCode === undefined || !good.includes(result.exitCode)) {
    const why = result.timedOut ? 'it took too long' : lastLine(result.stderr) || 'it is damaged';
    throw new Error(`The disk ${path} could not be read: ${why}.`, { cause: result });
  }
  return result.stdout;
}

function lastLine(text: string): string {
  const line = text.trim().split('\n').at(-1) ?? '';
  return line
    .replace(/^qemu-img: /, '')
    .replace(/'json:.*':\s*/, '')
    .replace(/\.$/, '');
}
