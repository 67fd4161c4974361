import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../../lib/text/error-message.js';
import { hidePaths } from '../../../lib/text/hide-paths.js';
import type { MachineRecord } from '../machine/machine-record.js';
import type { QemuMachine } from '../machine/qemu-machine.js';
import { flatten, LAYERS } from './disk.js';
import { takesTooMuch } from './own-bytes.js';

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
  },
): Promise<void> {
  const { signal, onProblem } = options;
  const { directory, account } = await machine.workspace();
  const [backing, top] = [record.layers[0], record.layers.at(-1)];
  const between = record.layers.slice(1, -1);
  if (!backing || !top || between.length === 0) return;
  const areMany = record.layers.length > LAYERS.flattenAbove;
  if (!areMany && !(await takesTooMuch(directory, record))) return;
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
