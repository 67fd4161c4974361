import { join } from 'node:path';
import { FILES } from '../../../layout.js';
import type { Workspace } from '../../../machine/qemu-process.js';
import { chownToMachine } from '../../../process/account.js';
import type { StateFile } from '../state-file.js';
import { copyBase, linkBase } from './base.js';
import { changedBytes } from './changed-memory.js';
import type { GuestMemory } from './guest-memory.js';
import { writeFully } from './write-fully.js';

/**
 * With more changed memory, a file of the copy's own is faster: QEMU loads about one gigabyte per
 * second, and a file takes about as long for the memory of a template.
 */
const LOADED_BYTES = 256 << 20;

/** Where the changed pages of the memory go. */
export interface MemoryTarget {
  /** Whole pages, from the byte `at` of the memory on. */
  write(at: number, pages: Buffer): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates the file `memory` in a copy's directory. It is the template's that the source has mapped,
 * and the changed pages become part of the state; or a copy of that file, into which they are
 * written, if that is gone or the guest has changed much; or an empty file if the source has booted.
 */
export async function prepareMemory(
  memory: GuestMemory,
  state: StateFile,
  options: {
    readonly copy: Workspace;
    readonly memoryFiles: readonly string[];
    readonly signal: AbortSignal | undefined;
  },
): Promise<MemoryTarget> {
  const { copy, memoryFiles, signal } = options;
  const path = join(copy.directory, FILES.memory);
  // Counted in any case: the first time takes longer, and the second one is in the pause.
  const changed = await changedBytes(memory);
  if (changed <= LOADED_BYTES && (await linkBase(memory, path, memoryFiles))) {
    return {
      write: (at, pages) => state.addPages(at, pages),
      close: async () => undefined,
    };
  }
  const file = await copyBase(memory, path, signal);
  await chownToMachine(copy.account, path);
  return {
    write: (at, pages) => writeFully(file, pages, at),
    close: () => file.close(),
  };
}
