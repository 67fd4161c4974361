import { type FileHandle, open, readFile } from 'node:fs/promises';
import { processIs } from '../../../../../lib/process/identity.js';
import type { QemuProcess } from '../../../machine/qemu-process.js';
import { type Mapping, mapFile, parseMappings } from './mappings.js';

/** The end of the first 4 GiB, where the firmware's ROM ends. */
const ROM_END = 2 ** 32;

/** RAM blocks of our own machines. QEMU fills the others again when it starts. */
export const GUEST_BLOCK = 'ram';
const FIRMWARE_BLOCK = 'pc.bios';
/** QEMU's has 256 KiB. */
const MAX_FIRMWARE_BYTES = 16 << 20;
const REFILLED = /^(pc\.rom|\/rom@.+)$/;

/** The firmware's ROM as part of a saved state. */
export interface Firmware {
  readonly block: string;
  readonly content: Buffer;
}

/**
 * The memory of a running guest as the host's kernel shows it, which only root may read. It stays
 * the same process's if that ends and another one gets its id.
 */
export interface GuestMemory {
  /** Where QEMU has mapped the guest's memory. */
  readonly mapping: Mapping;
  /** The file that is mapped; undefined for anonymous memory, which is zero at first. */
  readonly base: string | undefined;
  /** /proc/PID/mem */
  readonly content: FileHandle;
  /** /proc/PID/pagemap */
  readonly pagemap: FileHandle;
  readonly firmware: Firmware;
  close(): Promise<void>;
}

/** Throws if the memory of this size cannot be found or read. */
export async function openGuestMemory(qemu: QemuProcess, bytes: number): Promise<GuestMemory> {
  const { pid } = qemu.identity;
  const content = await open(`/proc/${pid}/mem`, 'r');
  let pagemap: FileHandle | undefined;
  try {
    pagemap = await open(`/proc/${pid}/pagemap`, 'r');
    const mappings = parseMappings(await readFile(`/proc/${pid}/maps`, 'utf8'));
    if (!(await processIs(qemu.identity))) throw new Error('QEMU has ended');
    const blocks = parseBlocks(await monitorCommand(qemu, 'info ramblock'));
    const unknown = [...blocks.keys()].find((name) => !isKnown(name));
    if (unknown !== undefined) throw new Error(`QEMU has the unknown memory ${unknown}`);
    const start = await hostAddress(qemu, 0, GUEST_BLOCK);
    const mapping = mappings.find((one) => one.start === start);
    if (mapping?.end !== start + bytes || mapping.permissions !== 'rw-p') {
      throw new Error('the mapping of the memory in QEMU cannot be found');
    }
    return {
      mapping,
      base: mapping.inode === 0 ? undefined : `/proc/${pid}/map_files/${mapFile(mapping)}`,
      content,
      pagemap,
      firmware: await readFirmware(qemu, content, blocks.get(FIRMWARE_BLOCK) ?? 0),
      close: async () => {
        await Promise.all([content.close(), pagemap?.close()]);
      },
    };
  } catch (error) {
    await Promise.all([content.close(), pagemap?.close()]);
    throw error;
  }
}

function isKnown(block: string): boolean {
  return block === GUEST_BLOCK || block === FIRMWARE_BLOCK || REFILLED.test(block);
}

/** QEMU leaves the ROM empty when it waits for a saved state: the state is expected to have it. */
async function readFirmware(
  qemu: QemuProcess,
  memory: FileHandle,
  bytes: number,
): Promise<Firmware> {
  // The size is what QEMU says.
  if (bytes > MAX_FIRMWARE_BYTES) throw new Error("the firmware's ROM is larger than 16 MiB");
  const address = await hostAddress(qemu, ROM_END - bytes, FIRMWARE_BLOCK);
  const { buffer, bytesRead } = await memory.read(Buffer.alloc(bytes), 0, bytes, address);
  if (bytesRead !== bytes || bytes === 0) throw new Error("the firmware's ROM cannot be read");
  return { block: FIRMWARE_BLOCK, content: buffer };
}

/** Where the RAM block at a physical address of the guest begins in QEMU. */
async function hostAddress(qemu: QemuProcess, physical: number, block: string): Promise<number> {
  const text = await monitorCommand(qemu, `gpa2hva 0x${physical.toString(16)}`);
  const [, name, address] = /\((\S+)\) is (0x[0-9a-f]+)/.exec(text) ?? [];
  if (name !== block || address === undefined) {
    throw new Error(`QEMU has no memory ${block} at ${physical.toString(16)}`);
  }
  return Number(address);
}

async function monitorCommand(qemu: QemuProcess, line: string): Promise<string> {
  return String(await qemu.execute('human-monitor-command', { 'command-line': line }));
}

/** Sizes in bytes by name. A line: name, page size, offset, used size, total size. */
export function parseBlocks(text: string): Map<string, number> {
  const blocks = new Map<string, number>();
  for (const line of text.split('\n').slice(1)) {
    const [, name, used] = /^\s*(\S+)\s+\S+ \S+\s+0x[0-9a-f]+\s+(0x[0-9a-f]+)/.exec(line) ?? [];
    if (name !== undefined) blocks.set(name, Number(used));
    else if (line.trim() !== '') throw new Error('QEMU lists its memory in an unknown way');
  }
  return blocks;
}
