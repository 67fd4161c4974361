import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fdatasyncSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** Space for the writes of a few stops and deletions, in bytes. */
const RESERVED = 4 * 1024 * 1024;
const BLOCK = 1024 * 1024;
/** The reserve is only taken while this much more is free, in bytes. */
const PLENTY = 16 * 1024 * 1024;

/** Space on the state's disk that is freed when a stop or deletion finds the disk full. */
export class DiskReserve {
  readonly #directory: string;
  readonly #path: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, 'reserve');
  }

  /** Reserves the space unless it is reserved or the disk has too little of it. Never throws. */
  refill(): void {
    try {
      if (statSync(this.#path, { throwIfNoEntry: false })?.size === RESERVED) return;
      const { bavail, bsize } = statfsSync(this.#directory);
      if (bavail * bsize < RESERVED + PLENTY) return;
      const file = openSync(this.#path, 'w', 0o600);
      try {
        // Not a sparse file, and nothing that a file system would compress: those compress 128 KiB or
        // less at a time.
        const block = randomBytes(BLOCK);
        for (let written = 0; written < RESERVED; written += BLOCK) writeSync(file, block);
        fdatasyncSync(file);
      } finally {
        closeSync(file);
      }
    } catch {
      this.release();
    }
  }

  /** Frees the space. Never throws. */
  release(): void {
    try {
      rmSync(this.#path, { force: true });
    } catch {
      // The disk is read-only or gone.
    }
  }
}

/** True for SQLite's error on a full disk. */
export function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^SQLITE_(FULL|IOERR)/.test(code);
}
