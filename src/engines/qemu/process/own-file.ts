import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';

const { O_NOFOLLOW, O_NONBLOCK, O_CREAT, O_EXCL, O_TRUNC } = constants;

/**
 * Opens a file of the service in a machine's directory, which the machine's QEMU can write to.
 * Anything else of that name (a link, a pipe, another user's file) is replaced with a new file.
 */
export async function openOwnFile(path: string, flags: number, mode = 0o600): Promise<FileHandle> {
  const safe = flags | O_NOFOLLOW | O_NONBLOCK;
  const found = await open(path, safe & ~O_CREAT & ~O_TRUNC).catch(() => undefined);
  if (found !== undefined) {
    if (await isOwn(found)) {
      if (flags & O_TRUNC) await found.truncate(0);
      return found;
    }
    await found.close();
  }
  await rm(path, { force: true });
  return open(path, safe | O_CREAT | O_EXCL, mode);
}

/** The first `limit` bytes of such a file; undefined if it is missing or not the service's. */
export async function readOwnFile(path: string, limit: number): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(
    () => undefined,
  );
  if (file === undefined) return undefined;
  try {
    if (!(await isOwn(file))) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(limit), 0, limit, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function isOwn(file: FileHandle): Promise<boolean> {
  const { uid, nlink, ...stat } = await file.stat();
  return (
    uid === process.getuid?.() &&
    nlink === 1 &&
    (stat.mode & constants.S_IFMT) === constants.S_IFREG
  );
}
