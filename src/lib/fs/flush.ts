import { open } from 'node:fs/promises';

/**
 * Flushes a file, or the entries of a folder, to the disk. Without it, a crash of the host could
 * leave a renamed file incomplete.
 */
export async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
