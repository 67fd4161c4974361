import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory, 0700, with those above it, unless it is there. Throws the system's error.
 *
 * Node's own `recursive` never returns where a parent is there and takes no directory, as /proc.
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
    // Something else of that name shows when it is used as a directory.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
