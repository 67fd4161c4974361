import { open } from 'node:fs/promises';

export type DiskFormat = 'qcow2' | 'raw' | 'vmdk' | 'vdi' | 'vhdx';

/** Enough for every signature looked at here. */
const HEAD_BYTES = 1024;
const SECTOR = 512;

/** Of qcow2's incompatible features: the guest's data is in another file. */
const DATA_FILE = 1n << 2n;

/**
 * The format of a disk image, from its own first bytes. QEMU is never left to guess: what it takes
 * for another format could name files of the host. Throws an `Error` that says what is wrong with a
 * file that is no disk, needs other files, or is encrypted.
 */
export async function detectFormat(path: string): Promise<DiskFormat> {
  const { head, bytes, isFile } = await readHead(path);
  if (!isFile) throw new Error(`${path} is not a file.`);
  const text = head.toString('latin1');
  if (text.startsWith('QFI\xfb')) {
    checkQcow2(path, head);
    return 'qcow2';
  }
  if (text.startsWith('KDMV')) {
    // Without a capacity, the description in it names the files that hold the data.
    if (head.readBigUInt64LE(12) === 0n) throw needsOthers(path);
    return 'vmdk';
  }
  if (/^# Disk DescriptorFile/i.test(text) || text.startsWith('COWD')) throw needsOthers(path);
  if (text.startsWith('vhdxfile')) return 'vhdx';
  if (head.length >= 68 && head.readUInt32LE(64) === 0xbeda107f) return 'vdi';
  checkRaw(path, head, bytes);
  return 'raw';
}

async function readHead(path: string): Promise<{ head: Buffer; bytes: number; isFile: boolean }> {
  const file = await open(path, 'r').catch((cause) => {
    throw new Error(`The disk ${path} cannot be read: ${cause.code ?? cause.message}.`, { cause });
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return { head: Buffer.alloc(0), bytes: 0, isFile: false };
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return { head: buffer.subarray(0, bytesRead), bytes: stats.size, isFile: true };
  } finally {
    await file.close();
  }
}

/** docs/interop/qcow2.txt of QEMU. */
function checkQcow2(path: string, head: Buffer): void {
  if (head.length < 104) throw new Error(`${path} is cut off: its qcow2 header is not whole.`);
  const version = head.readUInt32BE(4);
  if (version !== 2 && version !== 3) throw new Error(`${path} is qcow2 of an unknown version.`);
  if (head.readBigUInt64BE(8) !== 0n) throw needsOthers(path);
  if (head.readUInt32BE(32) !== 0) throw new Error(`${path} is encrypted; decrypt it first.`);
  if (version === 3 && (head.readBigUInt64BE(72) & DATA_FILE) !== 0n) throw needsOthers(path);
}

/** A disk that boots has a partition table, or at least a boot sector, in its first two sectors. */
function checkRaw(path: string, head: Buffer, bytes: number): void {
  const bootable =
    head.length === HEAD_BYTES &&
    bytes % SECTOR === 0 &&
    (head.readUInt16LE(510) === 0xaa55 || head.toString('latin1', 512, 520) === 'EFI PART');
  if (!bootable) {
    throw new Error(
      `${path} is not a disk image that can boot: a raw disk with a boot sector, qcow2, vmdk, vdi or vhdx is wanted.`,
    );
  }
}

function needsOthers(path: string): Error {
  return new Error(
    `${path} needs other files (a backing file, data file or extents); make one whole image of it first, for example with qemu-img convert.`,
  );
}
