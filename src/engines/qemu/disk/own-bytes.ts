import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../contract/errors.js';
import type { MachineRecord } from '../machine/machine-record.js';
import { LAYERS } from './disk.js';
import { unlessMissing } from './files.js';

/** Bytes of a block as `stat` counts them. */
const BLOCK = 512;

/**
 * What a machine's layers take on the host, in bytes. The lowest one is not counted: it is the image,
 * which machines share.
 */
export async function ownBytes(
  directory: string,
  { layers }: Pick<MachineRecord, 'layers'>,
): Promise<number> {
  const own = layers.slice(1).map((layer) => unlessMissing(lstat(join(directory, layer))));
  const blocks = (await Promise.all(own)).map((stats) => stats?.blocks ?? 0);
  return blocks.reduce((sum, count) => sum + count, 0) * BLOCK;
}

type Disk = Pick<MachineRecord, 'layers' | 'image'>;

/** True if a machine's layers take more of the host's disk than they may before a copy. */
export async function takesTooMuch(directory: string, record: Disk): Promise<boolean> {
  return (await ownBytes(directory, record)) > LAYERS.maxSizes * record.image.diskBytes;
}

/** Throws if the disk of a running machine takes so much that no copy may add a layer to it. */
export async function refuseLargeDisk(directory: string, record: Disk): Promise<void> {
  if (!(await takesTooMuch(directory, record))) return;
  const message =
    `The computer's disk takes more than ${LAYERS.maxSizes} times its size on the host, ` +
    'because each copy of the running computer has frozen a layer of it.';
  const remedy = 'Stop and start the computer once, which merges that; then copy it again.';
  throw new ApiError('conflict', message, { remedy });
}
