import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { ApiError } from '../../../contract/errors.js';
import { freeBytes } from '../../../lib/fs/free-bytes.js';
import { errorMessage } from '../../../lib/text/error-message.js';
import { hidePaths } from '../../../lib/text/hide-paths.js';
import type { MachineRecord } from '../machine/machine-record.js';
import type { QemuMachine } from '../machine/qemu-machine.js';
import type { Account } from '../process/account.js';
import { unlessMissing } from './files.js';

/** Limit for `qemu-img rebase`. */
const REBASE_MS = 600_000;
/** Free bytes that a merge leaves on the host's disk. */
const RESERVE = 2 ** 30;

/** Bytes of a block as `stat` counts them. */
const BLOCK = 512;

/**
 * QEMU keeps every layer open and searches them in turn. Each snapshot or fork adds one. A disk with more
 * layers than `flattenAbove` is flattened at its next boot; one with `max` layers cannot be saved. Each
 * layer can become as large as the disk: a disk whose layers take more than `maxSizes` times its size on
 * the host is flattened too, and cannot be saved while it runs.
 */
export const LAYERS = { flattenAbove: 30, max: 60, maxSizes: 3 };

type Disk = Pick<MachineRecord, 'layers' | 'base' | 'image'>;

/**
 * Merges the layers of a stopped machine if they are too many or too large. Can take minutes. Throws
 * if they are too many and cannot be merged.
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
    onProblem?.(`A computer starts with unmerged layers: the host's disk has too little room`);
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
  for (const layer of between) {
    if (!record.base.includes(layer)) await rm(join(directory, layer), { force: true });
  }
}

/** Free bytes that a merge needs: the old layers are removed after it. */
async function room(directory: string, record: MachineRecord): Promise<number> {
  return Math.min(record.image.diskBytes, await ownBytes(directory, record)) + RESERVE;
}

/** Merges all layers between `backing` and `top` into `top`. Can take minutes. */
async function flatten(
  directory: string,
  { top, backing }: { readonly top: string; readonly backing: string },
  { kind, uid, gid }: Account,
  signal?: AbortSignal,
): Promise<void> {
  const argv = ['rebase', '-q', '-f', 'qcow2', '-F', 'qcow2', '-b', backing, top];
  const result = await execa('qemu-img', argv, {
    cwd: directory,
    reject: false,
    timeout: REBASE_MS,
    stdin: 'ignore',
    ...(signal && { cancelSignal: signal }),
    // The machine's user: a guest may have tampered with its layers.
    ...(kind === 'machine' && { uid, gid }),
  });
  if (!result.failed) return;
  signal?.throwIfAborted();
  const reason =
    String(result.stderr ?? '')
      .trim()
      .split('\n')
      .at(-1) || String(result.shortMessage);
  throw new ApiError('internal', `The disk's layers cannot be merged: ${reason}`, {
    cause: result,
    ...(/No space left/i.test(reason) && { remedy: "free some space on the host's disk" }),
  });
}

/** Bytes that a machine's layers take on the host, without those it was made with: machines share them. */
export async function ownBytes(
  directory: string,
  { layers, base }: Pick<MachineRecord, 'layers' | 'base'>,
): Promise<number> {
  const own = layers.filter((layer) => !base.includes(layer));
  const sizes = own.map((layer) => unlessMissing(lstat(join(directory, layer))));
  const blocks = (await Promise.all(sizes)).map((stats) => stats?.blocks ?? 0);
  return blocks.reduce((sum, count) => sum + count, 0) * BLOCK;
}

/** True if a machine's layers take too much of the host's disk for another copy. */
async function takesTooMuch(directory: string, record: Disk): Promise<boolean> {
  return (await ownBytes(directory, record)) > LAYERS.maxSizes * record.image.diskBytes;
}

/** Throws if a running machine cannot be saved because its layers take too much. */
export async function refuseLargeDisk(directory: string, record: Disk): Promise<void> {
  if (!(await takesTooMuch(directory, record))) return;
  const message =
    `The computer's disk takes more than ${LAYERS.maxSizes} times its size on the host, ` +
    'because each snapshot and copy of the running computer has frozen a layer of it.';
  const remedy = 'Stop and start the computer once, which merges them; then try again.';
  throw new ApiError('conflict', message, { remedy });
}
