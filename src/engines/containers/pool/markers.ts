import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Files in `<state>/spares` with the ids of machines that were made for the warm pool. No row has the
 * id of such a machine, so this is how the next service finds a network or directory that a killed
 * one left. A file stays until nothing of the machine is left, even if a computer uses it.
 */
export class Markers {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async add(id: string): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await writeFile(join(this.#directory, id), '', { mode: 0o600 });
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.#directory, id), { force: true });
  }

  async all(): Promise<string[]> {
    return readdir(this.#directory).catch(() => []);
  }
}
