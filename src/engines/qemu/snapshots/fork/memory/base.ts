import { type FileHandle, link, open, stat } from 'node:fs/promises';
import { execa } from 'execa';
import { unlessMissing } from '../../../disk/files.js';
import type { GuestMemory } from './guest-memory.js';

const COPY_MS = 300_000;

type Based = Pick<GuestMemory, 'base' | 'mapping'>;

/**
 * Links the file that QEMU has mapped to `path`, if it is one of `candidates`. It does not change, and
 * a machine that maps it shares its unchanged memory.
 */
export async function linkBase(
  { base }: Based,
  path: string,
  candidates: readonly string[],
): Promise<boolean> {
  if (base === undefined) return false;
  const mapped = await stat(base, { bigint: true });
  for (const candidate of candidates) {
    const found = await unlessMissing(stat(candidate, { bigint: true }));
    if (found?.ino !== mapped.ino || found.dev !== mapped.dev) continue;
    return (await unlessMissing(link(candidate, path).then(() => true))) ?? false;
  }
  return false;
}

/** Creates the file `path` with what the guest's memory was when QEMU mapped it. */
export async function copyBase(
  { base, mapping }: Based,
  path: string,
  signal: AbortSignal | undefined,
): Promise<FileHandle> {
  const file = await open(path, 'wx+', 0o600);
  try {
    await file.truncate(mapping.end - mapping.start);
    if (base !== undefined) {
      const argv = ['--sparse=auto', '--reflink=auto', '--', base, path];
      await execa('cp', argv, { timeout: COPY_MS, ...(signal && { cancelSignal: signal }) });
    }
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
