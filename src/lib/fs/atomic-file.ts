import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
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

/** A file that is written in parts and appears, complete, when it is committed. */
export interface AtomicFile {
  write(data: Uint8Array): Promise<void>;
  commit(): Promise<void>;
  /** Removes what was written; after a commit it does nothing. */
  discard(): Promise<void>;
}

/** Opens a temporary file beside `path` that replaces it when it is committed. */
export async function openAtomicFile(path: string): Promise<AtomicFile> {
  const temporary = temporaryBeside(path);
  const handle = await open(temporary, 'wx');
  return {
    write: (data) => handle.writeFile(data),
    commit: async () => {
      await handle.close();
      await rename(temporary, path);
    },
    discard: async () => {
      await handle.close().catch(() => undefined);
      await rm(temporary, { force: true });
    },
  };
}

function temporaryBeside(path: string): string {
  return join(dirname(path), `.vc-${randomBytes(6).toString('hex')}.tmp`);
}
