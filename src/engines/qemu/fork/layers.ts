import { constants, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../contract/errors.js';
import { DISK } from '../arguments.js';
import { LAYERS } from '../disk.js';
import { linkOrCopy, writeAtomically } from '../files.js';
import { FILES } from '../layout.js';
import type { QemuMachine } from '../machine.js';
import { giveToMachine } from '../process/index.js';
import { createLayer, layerName } from '../qcow2.js';
import type { Qemu } from '../qemu.js';
import type { MachineRecord } from '../record.js';

/**
 * Puts a new layer on a machine's disk and says in its record that this is what is written to. Until
 * the layer below is really left alone, the new one is empty and starting from it is the same.
 */
export async function addLayer(machine: QemuMachine, record: MachineRecord): Promise<string> {
  if (record.layers.length >= LAYERS.most) {
    const message =
      'The computer was copied too often while it was running; stop and start it once, then copy it again.';
    throw new ApiError('unsupported', message);
  }
  const { directory, account } = await machine.place();
  const backing = record.layers.at(-1) ?? '';
  const name = layerName();
  await createLayer(directory, { name, backing, bytes: record.image.diskBytes });
  await giveToMachine(account, join(directory, name));
  await machine.write({ layers: [...record.layers, name] });
  return name;
}

/** Nobody writes to these layers any more: whoever has a name for them may read them. */
export async function freeze(directory: string, layers: readonly string[]): Promise<void> {
  for (const layer of layers) {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
    const file = await open(join(directory, layer), flags);
    try {
      if (process.getuid?.() === 0) await file.chown(0, 0);
      await file.chmod(0o444);
    } finally {
      await file.close();
    }
  }
}

/** Second names for a machine's frozen layers and whatever else does not change. */
export async function share(
  from: string,
  to: string,
  { layers, image }: MachineRecord,
): Promise<void> {
  const kernel = image.kind === 'vc' ? [FILES.kernel, FILES.initrd] : [];
  await Promise.all(
    [...layers, ...kernel].map((name) => linkOrCopy(join(from, name), join(to, name))),
  );
}

/** A copy of a UEFI's variables. */
export async function copyVariables(from: QemuMachine, to: QemuMachine): Promise<void> {
  if (from.record?.image.firmware !== 'uefi') return;
  const source = join(from.directory, FILES.variables);
  const file = await open(source, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const target = join(to.directory, FILES.variables);
    await writeAtomically(target, await file.readFile());
    await giveToMachine((await to.place()).account, target);
  } finally {
    await file.close();
  }
}

/** The node that a running machine's disk is written to now. */
export async function activeNode(qemu: Qemu): Promise<string> {
  const blocks = (await qemu.execute('query-block')) as {
    qdev?: string;
    inserted?: { 'node-name'?: string };
  }[];
  const disk = blocks.find(({ qdev }) => qdev?.split('/').includes(DISK.device));
  const node = disk?.inserted?.['node-name'];
  if (node) return node;
  throw new ApiError('internal', 'QEMU does not say what the disk is written to.');
}
