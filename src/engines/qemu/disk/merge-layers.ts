import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freeBytes } from '../../../lib/fs/free-bytes.js';
import { errorMessage } from '../../../lib/text/error-message.js';
import { hidePaths } from '../../../lib/text/hide-paths.js';
import type { MachineRecord } from '../machine/machine-record.js';
import type { QemuMachine } from '../machine/qemu-machine.js';
import { flatten, LAYERS } from './disk.js';
import { ownBytes, takesTooMuch } from './own-bytes.js';

/** Bytes that a merge leaves to others. */
const RESERVE = 2 ** 30;
const NO_ROOM = "the host's disk has too little room to merge them";

/**
 * Merges the layers of a machine that does not run, if they are many or take much of the host's disk.
 * Can take minutes. Throws if many cannot be merged.
 */
export async function mergeLayers(
  machine: QemuMachine,
  record: MachineRecord,
  options: {
    readonly signal: AbortSignal | undefined;
    /** Receives one line if the layers stay, but the machine can start. */
    readonly onProblem: ((message: string) => void) | undefined;
    /** Replaced in tests. */
    readonly freeBytes?: typeof freeBytes;
  },
): Promise<void> {
  const { signal, onProblem, freeBytes: measure = freeBytes } = options;
  const { directory, account } = await machine.workspace();
  const [backing, top] = [record.layers[0], record.layers.at(-1)];
  const between = record.layers.slice(1, -1);
  if (!backing || !top || between.length === 0) return;
  const areMany = record.layers.length > LAYERS.flattenAbove;
  if (!areMany && !(await takesTooMuch(directory, record))) return;
  if (!areMany && (await measure(directory)) < (await room(directory, record))) {
    onProblem?.(`A computer starts with unmerged layers: ${NO_ROOM}`);
    return;
  }
  try {
    await flatten(directory, { top, backing }, account, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (areMany) throw error;
    onProblem?.(`A computer starts with unmerged layers: ${hidePaths(errorMessage(error))}`);
    return;
  }
  await machine.write({ layers: [backing, top] });
  for (const layer of between) await rm(join(directory, layer), { force: true });
}

/** Free bytes that a merge needs: the layers are removed only when the merged one is complete. */
async function room(directory: string, record: MachineRecord): Promise<number> {
  return Math.min(record.image.diskBytes, await ownBytes(directory, record)) + RESERVE;
}
