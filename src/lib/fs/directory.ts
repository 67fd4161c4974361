import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory with its parents, mode 0700, unless it exists. Throws the system's error.
 *
 * Node's own `recursive` never returns if an existing parent cannot contain directories, like /proc.
 */
export function makeDirectory(path: string): void {
  try {
    makeOne(path);
  } catch (error) {
    const parent = dirname(path);
    if (codeOf(error) !== 'ENOENT' || parent === path) throw error;
    makeDirectory(parent);
    makeOne(path);
  }
}

function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // A file of that name causes an error when it is used as a directory.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
