import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sleep } from '../../../lib/async/sleep.js';
import { O_PATH } from '../../socket-file.js';

const EVERY_MS = 10;
/** The Engine mounts it at the beginning of its work. */
const MOUNTED_MS = 5_000;
/** Long enough to remove the container, whose files need not be written then, and to store the result. */
const DELAY_S = 0.5;

/**
 * Runs `work`, in which the Engine mounts the file system of a container that does not run, and unmounts
 * it. To unmount an overlayfs, the kernel first writes all changes of the disk, which takes a third of
 * the work if they are many. The Engine detaches the mount (MNT_DETACH): while a directory of it is open,
 * the kernel postpones the rest.
 *
 * @param files the container's upper directory
 * @param pid of the first process of another container
 */
export async function whileUnmountWaits<T>(
  files: string,
  pid: number,
  work: () => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const opening = openMounted(files, pid, ended.signal).catch(() => undefined);
  try {
    return await work();
  } finally {
    ended.abort();
    const directory = await opening;
    if (directory) await leaveOpen(directory).catch(() => undefined);
  }
}

/** Opens the file system when it is mounted. Rejects if it was not until the signal, or for some seconds. */
async function openMounted(files: string, pid: number, signal: AbortSignal): Promise<FileHandle> {
  const { dev } = await stat(files);
  // The parent, which watches over the container, usually is in the Engine's mount namespace.
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const parent = /^PPid:\s+(\d+)$/m.exec(status)?.[1] ?? '';
  const mounted = join('/proc', parent, 'root', dirname(files), 'merged');
  for (const end = performance.now() + MOUNTED_MS; performance.now() < end; ) {
    const directory = await open(mounted, O_PATH | constants.O_DIRECTORY).catch(() => undefined);
    if (directory !== undefined) {
      if ((await directory.stat()).dev !== dev) return directory;
      await directory.close();
    }
    await sleep(EVERY_MS, signal);
  }
  throw new Error(`nothing was mounted at ${mounted}`);
}

/** Leaves it to another process: the last one that closes it waits for the disk. */
async function leaveOpen(directory: FileHandle): Promise<void> {
  const child = spawn('sleep', [`${DELAY_S}`], {
    stdio: ['ignore', 'ignore', 'ignore', directory.fd],
  });
  child.unref();
  try {
    await once(child, 'spawn');
  } finally {
    await directory.close();
  }
}
