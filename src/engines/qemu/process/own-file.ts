import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';

const { O_NOFOLLOW, O_NONBLOCK, O_CREAT, O_EXCL, O_TRUNC } = constants;

/**
 * Opens a file of the service's own in a machine's directory, which what runs the machine can write
 * as well. Whatever else lies there under that name, a link, a pipe, another user's file, is
 * removed first and a new file made.
 */
export async function openOwn(path: string, flags: number, mode = 0o600): Promise<FileHandle> {
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

/** The text of such a file, undefined when there is none of the service's own. */
export async function readOwn(path: string, most: number): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(
    () => undefined,
  );
  if (file === undefined) return undefined;
  try {
    if (!(await isOwn(file))) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, 0);
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
