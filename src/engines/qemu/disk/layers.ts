import { constants, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../contract/errors.js';
import { FileTooLargeError, readHandleBounded } from '../../../lib/fs/read-bounded.js';
import { FILES } from '../layout.js';
import { DISK } from '../machine/arguments.js';
import type { MachineRecord } from '../machine/machine-record.js';
import type { QemuMachine } from '../machine/qemu-machine.js';
import type { QemuProcess, Workspace } from '../machine/qemu-process.js';
import { chownToMachine } from '../process/account.js';
import { linkOrCopy, names, writeAtomically } from './files.js';
import { LAYERS } from './merge-layers.js';
import { createLayer, isLayer, layerName } from './qcow2.js';

/** For files that QEMU can replace: a link is not followed, and a pipe not waited for. */
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** UEFI variables have 528 KiB. */
const MAX_VARIABLES_BYTES = 1 << 20;

/** Creates an empty layer of `bytes` over `backing` that the machine can write. Returns its name. */
export async function createTopLayer(
  { directory, account }: Workspace,
  backing: string,
  bytes: number,
): Promise<string> {
  const name = layerName();
  await createLayer(directory, { name, backing, bytes });
  await chownToMachine(account, join(directory, name));
  return name;
}

/**
 * Adds an empty layer on top of a machine's disk and to its record. The record may be ahead of the
 * running QEMU: as long as the new layer is empty, booting from it or from the one below is the same.
 */
export async function addLayer(machine: QemuMachine, record: MachineRecord): Promise<string> {
  if (record.layers.length >= LAYERS.max) {
    const message =
      'The disk of the computer has too many layers: each snapshot and copy of it adds one.';
    const remedy = 'Stop and start the computer once, which merges them; then try again.';
    throw new ApiError('unsupported', message, { remedy });
  }
  const backing = record.layers.at(-1) ?? '';
  const name = await createTopLayer(await machine.workspace(), backing, record.image.diskBytes);
  await machine.write({ layers: [...record.layers, name] });
  return name;
}

/** Removes disk files of a machine that does not run and that its record does not name. */
export async function removeUnusedLayers({ directory, record }: QemuMachine): Promise<void> {
  if (record === undefined) return;
  const used = new Set([...record.layers, ...record.base]);
  const unused = (await names(directory)).filter((name) => isLayer(name) && !used.has(name));
  for (const name of unused) await rm(join(directory, name), { recursive: true, force: true });
}

/** Makes layers read-only, for machines that share them. */
export async function freeze(directory: string, layers: readonly string[]): Promise<void> {
  for (const layer of layers) {
    const file = await open(join(directory, layer), READ_ONLY);
    try {
      if (process.getuid?.() === 0) await file.chown(0, 0);
      await file.chmod(0o444);
    } finally {
      await file.close();
    }
  }
}

/** Links frozen layers and boot files from one directory into another. */
export async function shareFiles(
  from: string,
  to: string,
  { layers, image }: Pick<MachineRecord, 'layers' | 'image'>,
): Promise<void> {
  const kernel = image.kind === 'vc' ? [FILES.kernel, FILES.initrd] : [];
  await Promise.all(
    [...layers, ...kernel].map((name) => linkOrCopy(join(from, name), join(to, name))),
  );
}

/**
 * Copies the UEFI variables into a directory, if the machine has any. Throws if there are more than
 * 1 MiB.
 */
export async function copyVariables(from: QemuMachine, directory: string): Promise<void> {
  if (from.record?.image.firmware !== 'uefi') return;
  const content = await readVariables(join(from.directory, FILES.variables));
  await writeAtomically(join(directory, FILES.variables), content);
}

async function readVariables(path: string): Promise<Buffer> {
  const file = await open(path, READ_ONLY);
  try {
    return await readHandleBounded(file, MAX_VARIABLES_BYTES);
  } catch (cause) {
    if (!(cause instanceof FileTooLargeError)) throw cause;
    const message = `The UEFI variables (${FILES.variables}) cannot be copied: ${cause.message}.`;
    const remedy = 'The computer may have damaged them; copy its files to a new one.';
    throw new ApiError('internal', message, { remedy, cause });
  } finally {
    await file.close();
  }
}

/** The block node that a running machine writes to. */
export async function activeNode(qemu: QemuProcess): Promise<string> {
  const blocks = (await qemu.execute('query-block')) as {
    qdev?: string;
    inserted?: { 'node-name'?: string };
  }[];
  const disk = blocks.find(({ qdev }) => qdev?.split('/').includes(DISK.device));
  const node = disk?.inserted?.['node-name'];
  if (node) return node;
  throw new ApiError('internal', 'QEMU does not report the block node of the disk.');
}
