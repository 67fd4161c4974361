import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { engines } from '../../../engines/index.js';

/** Paths within a state directory of the engines' small files that a backup contains. */
export function stateFiles(): string[] {
  return engines.flatMap(({ stateFiles = [] }) => stateFiles);
}

/** Those of a state directory that exist, by path. */
export function readStateFiles(directory: string): [name: string, bytes: Buffer][] {
  return stateFiles().flatMap((name): [string, Buffer][] => {
    try {
      return [[name, readFileSync(join(directory, name))]];
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return [];
      throw error;
    }
  });
}

/** Writes files below a directory, mode 0600: some are keys. */
export function writeStateFiles(directory: string, files: ReadonlyMap<string, Buffer>): void {
  for (const [name, bytes] of files) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, bytes, { mode: 0o600, flush: true });
  }
}

/** Moves files from one directory to the same paths in another one on its file system. */
export function moveStateFiles(from: string, to: string, names: Iterable<string>): void {
  for (const name of names) {
    mkdirSync(dirname(join(to, name)), { recursive: true, mode: 0o700 });
    renameSync(join(from, name), join(to, name));
  }
}
