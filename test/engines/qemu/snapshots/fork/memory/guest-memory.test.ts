import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { QemuProcess } from '../../../../../../src/engines/qemu/machine/qemu-process.js';
import { openGuestMemory } from '../../../../../../src/engines/qemu/snapshots/fork/memory/guest-memory.js';
import { parseMappings } from '../../../../../../src/engines/qemu/snapshots/fork/memory/mappings.js';
import { identifyProcess } from '../../../../../../src/lib/process/identity.js';

const hexadecimal = (number: number) => `0x${number.toString(16)}`;

/** Data of this process's program, in place of a guest's memory. */
async function ownMapping() {
  const mappings = parseMappings(await readFile('/proc/self/maps', 'utf8'));
  const found = mappings.find(({ permissions, inode }) => permissions === 'rw-p' && inode !== 0);
  if (found === undefined) throw new Error('this process has no such mapping');
  return found;
}

/** A QEMU, which is this process, whose memory begins with a firmware of this size. */
async function openMemory(firmwareBytes: number) {
  const { start, end } = await ownMapping();
  const block = (name: string, bytes: number) => `${name} 4 KiB 0x0 ${hexadecimal(bytes)}\n`;
  const answers = (line: string): string => {
    if (line === 'info ramblock') {
      return `names\n${block('ram', end - start)}${block('pc.bios', firmwareBytes)}`;
    }
    const name = line.endsWith(' 0x0') ? 'ram' : 'pc.bios';
    return `Host virtual address (${name}) is ${hexadecimal(start)}`;
  };
  const identity = await identifyProcess(process.pid);
  const execute = async (_: string, of: { 'command-line': string }) => answers(of['command-line']);
  return openGuestMemory({ identity, execute } as unknown as QemuProcess, end - start);
}

it("reads the firmware's ROM", async () => {
  const memory = await openMemory(4_096);
  expect(memory.firmware).toMatchObject({ block: 'pc.bios' });
  expect(memory.firmware.content).toHaveLength(4_096);
  await memory.close();
});

it('refuses a ROM of which QEMU says that it is huge', async () => {
  await expect(openMemory(2 ** 31)).rejects.toThrow("the firmware's ROM is larger than 16 MiB");
  await expect(openMemory((16 << 20) + 1)).rejects.toThrow('larger than 16 MiB');
});
