import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES } from '../layout.js';

/** Removes the saved memory and devices that a machine's first start resumes. */
export async function removeResumeFiles(directory: string): Promise<void> {
  for (const name of [FILES.memory, FILES.state]) {
    await rm(join(directory, name), { force: true });
  }
}
