import { constants } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sleep } from '../../../lib/async/sleep.js';
import { O_PATH } from '../../socket-file.js';

const EVERY_MS = 10;
/** By then, what needs no writing has been removed, and the service has stored what it has done. */
const DELAY_MS = 500;

/**
 * Runs `work`, in which the Engine mounts the file system of a container that does not run, and unmounts
 * it. To unmount an overlayfs, the kernel first writes all changes of the disk, which takes longer than
 * all else for many files. As long as a directory in it is open, the kernel only removes it from the tree:
 * this is so until some time after the work.
 *
 * @param files directory with what the container has changed
 * @param process one that the Engine has started on this host, which sees its mounts
 */
export async function whileUnmountWaits<T>(
  files: string,
  process: number,
  work: () => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const opening = openMounted(files, process, ended.signal).catch(() => undefined);
  try {
    return await work();
  } finally {
    ended.abort();
    const directory = await opening;
    setTimeout(() => directory?.close(), DELAY_MS).unref();
  }
}

/** Opens the file system as soon as it is mounted. Rejects if it was not until the signal. */
export async function openMounted(
  files: string,
  process: number,
  signal: AbortSignal,
): Promise<FileHandle> {
  const { dev } = await stat(files);
  // The program that watches over a container is in the Engine's mount namespace.
  const status = await readFile(`/proc/${process}/status`, 'utf8');
  const parent = /^PPid:\s+(\d+)$/m.exec(status)?.[1] ?? '';
  const mounted = join('/proc', parent, 'root', dirname(files), 'merged');
  for (; ; await sleep(EVERY_MS, signal)) {
    const directory = await open(mounted, O_PATH | constants.O_DIRECTORY).catch(() => undefined);
    if (directory === undefined) continue;
    if ((await directory.stat()).dev !== dev) return directory;
    await directory.close();
  }
}
