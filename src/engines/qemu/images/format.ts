import { open } from 'node:fs/promises';

export type DiskFormat = 'qcow2' | 'raw' | 'vmdk' | 'vdi' | 'vhdx';

/** Enough for every signature below. */
const HEAD_BYTES = 1024;
const SECTOR = 512;

/** qcow2's incompatible feature bit: the guest's data is in another file. */
const DATA_FILE = 1n << 2n;

/**
 * Detects the format of a disk image from its first bytes. QEMU must not guess the format: a raw
 * disk taken for another format could name files of the host. Throws an `Error` for a file that is
 * not a disk, needs other files, or is encrypted.
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
    // Without a capacity, its descriptor names the files that hold the data.
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

/** See docs/interop/qcow2.txt of QEMU. */
function checkQcow2(path: string, head: Buffer): void {
  if (head.length < 104) throw new Error(`${path} is truncated: its qcow2 header is incomplete.`);
  const version = head.readUInt32BE(4);
  if (version !== 2 && version !== 3) throw new Error(`${path} has an unknown qcow2 version.`);
  if (head.readBigUInt64BE(8) !== 0n) throw needsOthers(path);
  if (head.readUInt32BE(32) !== 0) throw new Error(`${path} is encrypted; decrypt it first.`);
  if (version === 3 && (head.readBigUInt64BE(72) & DATA_FILE) !== 0n) throw needsOthers(path);
}

/** A bootable raw disk has a boot sector or a GPT header in its first two sectors. */
function checkRaw(path: string, head: Buffer, bytes: number): void {
  const bootable =
    head.length === HEAD_BYTES &&
    bytes % SECTOR === 0 &&
    (head.readUInt16LE(510) === 0xaa55 || head.toString('latin1', 512, 520) === 'EFI PART');
  if (!bootable) {
    throw new Error(
      `${path} is not a disk image that can boot: use qcow2, vmdk, vdi, vhdx, or a raw disk with a boot sector.`,
    );
  }
}

function needsOthers(path: string): Error {
  return new Error(
    `${path} needs other files (a backing file, data file or extents); make one whole image of it first, for example with qemu-img convert.`,
  );
}
