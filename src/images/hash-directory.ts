import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The last hash of each directory, and what its files looked like then. */
const known = new Map<string, { readonly seen: string; readonly hash: Promise<string> }>();

/**
 * SHA-256 over the sorted relative paths that count: kind, executable or not, content. Nothing else
 * of the mode counts, because it depends on the umask under which the sources were checked out.
 * Files that have not changed since the last call are not read again. `counts` must be the same for
 * each call with a directory.
 */
export async function hashDirectory(
  directory: string,
  counts: (path: string) => boolean,
): Promise<string> {
  const paths = (await readdir(directory, { recursive: true })).filter(counts).sort();
  const seen = (await Promise.all(paths.map((path) => look(directory, path)))).join('\n');
  const last = known.get(directory);
  if (last?.seen === seen) return last.hash;
  const hash = hashPaths(directory, paths);
  known.set(directory, { seen, hash });
  hash.catch(() => known.delete(directory));
  return hash;
}

async function look(directory: string, path: string): Promise<string> {
  const { ino, mode, size, mtimeMs, ctimeMs } = await lstat(join(directory, path));
  return [path, ino, mode, size, mtimeMs, ctimeMs].join('\0');
}

async function hashPaths(directory: string, paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) await hashEntry(hash, path, join(directory, path));
  return hash.digest('hex');
}

async function hashEntry(hash: Hash, path: string, full: string): Promise<void> {
  const stats = await lstat(full);
  if (stats.isSymbolicLink()) {
    hash.update(`link\0${path}\0${await readlink(full)}\0`);
  } else if (stats.isFile()) {
    const kind = (stats.mode & 0o100) === 0 ? 'file' : 'program';
    hash.update(`${kind}\0${path}\0${stats.size}\0`);
    for await (const chunk of createReadStream(full)) {
      hash.update(chunk);
    }
  }
}
