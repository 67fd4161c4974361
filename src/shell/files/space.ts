import type { FileSession } from './session.js';

interface FileSystem {
  readonly f_bavail: number;
  readonly f_frsize: number;
  readonly f_files: number;
  readonly f_favail: number;
}

/** With fewer free bytes than this, small writes may fail. */
const LEAST_BYTES = 256 * 1024;

/** Queries the free space, because SFTP reports a full disk as a generic failure. False if unknown. */
export async function isFull(session: FileSession, directory: string): Promise<boolean> {
  const { sftp } = session;
  const found = await session
    .ask<FileSystem>((done) =>
      sftp.ext_openssh_statvfs(directory, (error, value) => done(error, value as FileSystem)),
    )
    .catch(() => undefined);
  if (found === undefined) return false;
  const noRoom = found.f_bavail * found.f_frsize < LEAST_BYTES;
  return noRoom || (found.f_files > 0 && found.f_favail === 0);
}
