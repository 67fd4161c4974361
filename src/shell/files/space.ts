import type { FileSession } from './session.js';

interface FileSystem {
  readonly f_bavail: number;
  readonly f_frsize: number;
  readonly f_files: number;
  readonly f_favail: number;
}

/** Less than this and no write of any size succeeds reliably. */
const LEAST_BYTES = 256 * 1024;

/** SFTP says "failure" of a full disk; whether it is one is asked apart. False when in doubt. */
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
