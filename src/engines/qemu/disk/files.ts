import {
  chmod,
  constants,
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { uniqueName } from '../ids.js';

/** True for an error of the file system with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Undefined instead of an error if the file or directory does not exist. */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** The names in a directory; empty if it does not exist. */
export async function names(directory: string): Promise<string[]> {
  return (await unlessMissing(readdir(directory))) ?? [];
}

/** Creates a directory that only the service's user can access. */
export async function ensureDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}

/** After a crash at any point the file holds the old text or the new one, never a mixture. */
export async function writeAtomically(path: string, text: string | Buffer): Promise<void> {
  // A QEMU may be able to write to the directory: never open an existing file.
  const temporary = `${path}.${uniqueName()}`;
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await file.writeFile(text);
    await file.datasync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

/**
 * Hard-links an immutable file, or copies it where that is impossible. Does nothing if `to` exists.
 */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return;
    if (!hasCode(error, 'EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP')) throw error;
    const temporary = `${to}.${uniqueName()}`;
    await copyFile(from, temporary, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    await rename(temporary, to);
  }
}

/** Name prefix of directories that are being removed. */
const REMOVING = '.removing-';

/** Removes a directory: renames it, which is atomic, then deletes its content. */
export async function removeDirectory(path: string): Promise<void> {
  const moved = join(dirname(path), `${REMOVING}${basename(path)}-${uniqueName()}`);
  if ((await unlessMissing(rename(path, moved).then(() => true))) === undefined) return;
  await rm(moved, { recursive: true, force: true, maxRetries: 3 });
}

/** Finishes each {@link removeDirectory} that a crash has interrupted. */
export async function finishRemovals(parent: string): Promise<void> {
  const left = (await names(parent)).filter((name) => name.startsWith(REMOVING));
  for (const name of left) await rm(join(parent, name), { recursive: true, force: true });
}
