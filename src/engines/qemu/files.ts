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
import { uniqueName } from './ids.js';

/** True for an error of the file system with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Undefined instead of an error when the file or directory is not there. */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** The names in a directory; none when it is not there. */
export async function names(directory: string): Promise<string[]> {
  return (await unlessMissing(readdir(directory))) ?? [];
}

/** Makes a directory that is the service's alone. */
export async function ensureDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}

/** After a crash at any point the file holds the old text or the new one, never a part. */
export async function writeAtomically(path: string, text: string | Buffer): Promise<void> {
  // The directory may be one that a QEMU can write to: never open what somebody left there.
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
 * Gives an immutable file a second name, or copies it where the file system cannot; both are gone
 * from each other's reach afterwards. Does nothing when the name is taken.
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

/** Name prefix of what is on its way out; nobody looks into it any more. */
const REMOVING = '.removing-';

/** Removes a directory: at once for everybody who looks for it, then with all that is in it. */
export async function removeDirectory(path: string): Promise<void> {
  const moved = join(dirname(path), `${REMOVING}${basename(path)}-${uniqueName()}`);
  if ((await unlessMissing(rename(path, moved).then(() => true))) === undefined) return;
  await rm(moved, { recursive: true, force: true, maxRetries: 3 });
}

/** Removes what an earlier {@link removeDirectory} did not live to remove. */
export async function finishRemovals(parent: string): Promise<void> {
  const left = (await names(parent)).filter((name) => name.startsWith(REMOVING));
  for (const name of left) await rm(join(parent, name), { recursive: true, force: true });
}
