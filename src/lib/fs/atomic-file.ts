import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Writes a file so that it appears complete or not at all: beside `path` first, then renamed. */
export async function writeFileAtomically(
  path: string,
  data: Uint8Array,
  { mode = 0o666 }: { readonly mode?: number } = {},
): Promise<void> {
  const temporary = temporaryBeside(path);
  try {
    await writeFile(temporary, data, { flag: 'wx', mode });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The same without waiting, for a small file. */
export function writeFileAtomicallySync(
  path: string,
  data: Uint8Array,
  { mode = 0o666 }: { readonly mode?: number } = {},
): void {
  const temporary = temporaryBeside(path);
  try {
    writeFileSync(temporary, data, { flag: 'wx', mode });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function temporaryBeside(path: string): string {
  return join(dirname(path), `.vc-${randomBytes(6).toString('hex')}.tmp`);
}
