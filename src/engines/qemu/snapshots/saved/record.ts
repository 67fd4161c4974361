import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { MachineSpec } from '../../../engine.js';
import { writeAtomically } from '../../disk/files.js';
import type { QemuHost } from '../../host.js';
import { HARDWARE_VERSION } from '../../machine/arguments.js';
import { imageSchema } from '../../machine/machine-record.js';

const RECORD = 'saved.json';

/** What saved memory needs: it only resumes where all but the MAC address is the same. */
const memorySchema = z.object({
  cpu: z.number(),
  ram: z.number(),
  qemu: z.string(),
  acceleration: z.enum(['kvm', 'tcg']),
  hardware: z.string(),
  /** The network card's MAC address in the memory. */
  mac: z.string(),
});

export type SavedMemory = z.infer<typeof memorySchema>;

const savedSchema = z.object({
  version: z.literal(1),
  id: z.string(),
  kind: z.enum(['snapshot', 'image']),
  /** The machine that it was saved from. */
  machine: z.string(),
  createdAt: z.string(),
  image: imageSchema,
  /** Frozen disk files, from the lowest layer. */
  layers: z.array(z.string()).min(1),
  /** In the file `state`. */
  memory: memorySchema.nullable(),
});

/** The content of `saved.json`. */
export type SavedRecord = z.infer<typeof savedSchema>;

/** A machine's disk at one moment, in a directory, with its memory if it ran. */
export type FrozenMachine = Pick<SavedRecord, 'image' | 'layers' | 'memory'>;

/** Undefined if there is none or its record cannot be read. */
export async function readSavedRecord(directory: string): Promise<SavedRecord | undefined> {
  try {
    return savedSchema.parse(JSON.parse(await readFile(join(directory, RECORD), 'utf8')));
  } catch {
    return undefined;
  }
}

export async function writeSavedRecord(directory: string, record: SavedRecord): Promise<void> {
  await writeAtomically(join(directory, RECORD), `${JSON.stringify(record, null, 2)}\n`);
}

/** The requirements of memory that is saved now from a machine with this specification. */
export async function requirements(
  { cpu, ram }: Pick<MachineSpec, 'cpu' | 'ram'>,
  host: Pick<QemuHost, 'version' | 'acceleration'>,
  signal: AbortSignal | undefined,
): Promise<Omit<SavedMemory, 'mac'>> {
  const [qemu, { kind }] = await Promise.all([host.version(), host.acceleration(signal)]);
  return { cpu, ram, qemu, acceleration: kind, hardware: HARDWARE_VERSION };
}

/** The memory if a machine with this specification can resume it here; otherwise it boots. */
export async function usableMemory<M extends SavedMemory>(
  memory: M | null,
  spec: Pick<MachineSpec, 'cpu' | 'ram'>,
  host: Pick<QemuHost, 'version' | 'acceleration'>,
): Promise<M | null> {
  if (memory === null) return null;
  const { cpu, ram, qemu, acceleration, hardware } = await requirements(spec, host, undefined);
  const isSame =
    memory.cpu === cpu &&
    memory.ram === ram &&
    memory.qemu === qemu &&
    memory.acceleration === acceleration &&
    memory.hardware === hardware;
  return isSame ? memory : null;
}
