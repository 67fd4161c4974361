import { open } from 'node:fs/promises';

/** Writes a file, or the names in a folder, to the disk. Without it, a crash of the host could leave a whole name with half a file. */
export async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
