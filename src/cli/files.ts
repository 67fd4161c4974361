import { randomBytes } from 'node:crypto';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { cannotWrite } from './file-errors.js';

/** Writes a file so that it appears whole or not at all: beside it first, then renamed. */
export async function writeFileWhole(cwd: string, path: string, data: Uint8Array): Promise<void> {
  const target = resolve(cwd, path);
  const temporary = join(dirname(target), `.vc-${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeFile(temporary, data, { flag: 'wx' });
    await rename(temporary, target);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cannotWrite(path, cause);
  }
}

/** `20250102-030405` in local time. */
export function fileTimestamp(now: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  const date = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('');
  return `${date}-${[now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join('')}`;
}

/** A file that is written bit by bit, and appears whole when it is committed. */
export interface FileInTheMaking {
  write(data: Uint8Array): Promise<void>;
  commit(): Promise<void>;
  /** Leaves nothing behind; after a commit it does nothing. */
  discard(): Promise<void>;
}

/** Opens a file beside `path` that takes its place when it is committed. */
export async function openFileWhole(cwd: string, path: string): Promise<FileInTheMaking> {
  const target = resolve(cwd, path);
  const temporary = join(dirname(target), `.vc-${randomBytes(6).toString('hex')}.tmp`);
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      throw cannotWrite(path, cause);
    }
  };
  const handle = await guarded(() => open(temporary, 'wx'));
  return {
    write: (data) => guarded(() => handle.writeFile(data)),
    commit: () =>
      guarded(async () => {
        await handle.close();
        await rename(temporary, target);
      }),
    discard: async () => {
      await handle.close().catch(() => undefined);
      await rm(temporary, { force: true });
    },
  };
}
