import { chmod, lstat, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Permission bits with which others can write. */
const WRITABLE = 0o022;
const WRITABLE_BY_ALL = 0o002;
/** In such a directory only the owner of an entry replaces it. */
const STICKY = 0o1000;

/** True if `path` is a regular file or directory that only this user and root can write. */
export async function isOwn(path: string, kind: 'file' | 'directory'): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return false;
  const isKind = kind === 'file' ? found.isFile() : found.isDirectory();
  return isKind && isTrusted(found.uid) && (!hasUsers() || (found.mode & WRITABLE) === 0);
}

/** A directory or link through which users other than this one and root can replace a path. */
export interface Foreign {
  readonly path: string;
  readonly uid: number;
}

/** The first such one from `path` upwards; what does not exist is passed over. */
export async function foreignAbove(path: string): Promise<Foreign | undefined> {
  if (!hasUsers()) return undefined;
  for (let each = resolve(path); ; each = dirname(each)) {
    const found = await lstat(each).catch(() => undefined);
    if (found !== undefined) {
      const { uid, mode } = found;
      const isOpen = !found.isSymbolicLink() && (mode & WRITABLE_BY_ALL) !== 0;
      if (!isTrusted(uid) || (isOpen && (mode & STICKY) === 0)) return { path: each, uid };
    }
    if (each === dirname(each)) return undefined;
  }
}

/** Takes from others the right to write an own file or directory, whatever the umask was. */
export async function closeToOthers(path: string): Promise<void> {
  const { uid, mode } = await stat(path);
  if (uid === process.geteuid?.() && (mode & WRITABLE) !== 0) await chmod(path, mode & ~WRITABLE);
}

function hasUsers(): boolean {
  return process.geteuid !== undefined;
}

function isTrusted(uid: number): boolean {
  return !hasUsers() || uid === 0 || uid === process.geteuid?.();
}
