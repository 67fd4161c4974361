import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { freeBytes } from '../../../lib/fs/free-bytes.js';
import { errorMessage } from '../../../lib/text/error-message.js';
import { ask, QUICK_MS } from '../client.js';
import { dialectOf } from '../dialect.js';
import { copyFiles, copyShifted, measureFiles } from './layer-files.js';
import { whilePaused } from './pausing.js';

/** Bytes of the Engine's disk that stay free. */
const RESERVE = 2 ** 30;
const GIB = 2 ** 30;
/** User ids of a container in a user namespace. */
const IDS = 65_536;

/** Directories with what two containers of one image have changed. */
export interface Layers {
  readonly from: string;
  /** Of a container that is not started. */
  readonly to: string;
}

/**
 * Copies what a machine has changed, at one moment: it is paused meanwhile. The files in the copy have
 * the owners that the machine sees. Returns their bytes.
 */
export async function copyLayer(
  docker: Docker,
  machine: Docker.ContainerInspectInfo,
  { from, to }: Layers,
  signal: AbortSignal,
): Promise<number> {
  const { firstHostId } = dialectOf(docker);
  // Beside the layer, and removed with it.
  const layer = dirname(to);
  const copy = firstHostId ? join(layer, 'vc-copy') : to;
  const copies = firstHostId ? 2 : 1;
  const estimate = (await measureFiles(from, signal)).bytes;
  await refuseFullDisk(docker, to, (copies + 1) * estimate);
  await whilePaused(docker, machine, () => copyAll(docker, from, copy, signal), signal);
  // A file may have become long meanwhile, without taking room: it does in the image.
  const { bytes, ids } = await measureFiles(copy, signal);
  await refuseFullDisk(docker, to, copies * bytes);
  if (firstHostId !== undefined) {
    const first = await ask(docker, QUICK_MS, signal, (abortSignal) =>
      firstHostId(docker, machine.Id, abortSignal),
    );
    const shift = { first, count: IDS, ids, map: join(layer, 'vc-ids') };
    await copyShifted(copy, to, shift, signal);
    await rm(copy, { recursive: true, force: true });
  }
  return bytes;
}

async function copyAll(
  docker: Docker,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await copyFiles(from, to, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw /No space left/.test(errorMessage(error)) ? fullDisk(docker) : error;
  }
}

async function refuseFullDisk(docker: Docker, directory: string, bytes: number): Promise<void> {
  if ((await freeBytes(directory)) < bytes + RESERVE) throw fullDisk(docker, bytes);
}

function fullDisk(docker: Docker, bytes?: number): ApiError {
  const need =
    bytes === undefined ? '' : `: ${((bytes + RESERVE) / GIB).toFixed(1)} GiB are needed`;
  const message = `The disk of the ${dialectOf(docker).engine} is too full${need}.`;
  const remedy = 'free some space, for example by deleting snapshots, images and volumes';
  return new ApiError('conflict', message, { remedy });
}
