import { constants, open } from 'node:fs/promises';
import { join } from 'node:path';
import { uniqueName } from '../ids.js';

const MAGIC = 0x514649fb;
const CLUSTER_BITS = 16;
const CLUSTER = 1 << CLUSTER_BITS;
const HEADER_BYTES = 104;
const SIZE_AT = 24;
/** Bytes that one L2 table maps: a cluster of 8-byte entries, each for one cluster. */
const SPAN = (CLUSTER / 8) * CLUSTER;
const BACKING_FORMAT = 0xe2792aca;

/** A unique name for a new layer, which it keeps wherever it is linked. */
export function layerName(): string {
  return `disk-${uniqueName()}.qcow2`;
}

export function isLayer(name: string): boolean {
  return /^disk-.*\.qcow2$/.test(name);
}

/**
 * Creates an empty disk of `bytes` over `backing`, the name of a file in the same directory. That
 * file is not opened: a guest may have tampered with it. Throws if `name` exists.
 * Format: https://www.qemu.org/docs/master/interop/qcow2.html, version 3.
 */
export async function createLayer(
  directory: string,
  { name, backing, bytes }: { name: string; backing: string; bytes: number },
): Promise<void> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
  const file = await open(join(directory, name), flags, 0o600);
  try {
    // Clusters: header, refcount table, refcount block, then the empty L1 table.
    const entries = Math.ceil(bytes / SPAN);
    const clusters = 3 + Math.ceil((entries * 8) / CLUSTER);
    await file.write(header(backing, bytes, entries), 0, undefined, 0);
    await file.write(bigEndian64(2 * CLUSTER), 0, undefined, CLUSTER);
    const counts = Buffer.alloc(clusters * 2);
    for (let at = 0; at < clusters; at++) counts.writeUInt16BE(1, at * 2);
    await file.write(counts, 0, undefined, 2 * CLUSTER);
    await file.truncate(clusters * CLUSTER);
  } finally {
    await file.close();
  }
}

/** Virtual size in bytes of a qcow2 file. Throws if it is not one. */
export async function diskSize(path: string): Promise<number> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const head = Buffer.alloc(HEADER_BYTES);
    await file.read(head, 0, HEADER_BYTES, 0);
    if (head.readUInt32BE(0) !== MAGIC) throw new Error(`${path} is not a qcow2 disk`);
    return Number(head.readBigUInt64BE(SIZE_AT));
  } finally {
    await file.close();
  }
}

function header(backing: string, bytes: number, entries: number): Buffer {
  const name = Buffer.from(backing);
  const format = Buffer.from('qcow2');
  const buffer = Buffer.alloc(512);
  const nameAt = HEADER_BYTES + 8 + 8 + 8;
  buffer.writeUInt32BE(MAGIC, 0);
  buffer.writeUInt32BE(3, 4);
  buffer.writeBigUInt64BE(BigInt(nameAt), 8);
  buffer.writeUInt32BE(name.length, 16);
  buffer.writeUInt32BE(CLUSTER_BITS, 20);
  buffer.writeBigUInt64BE(BigInt(bytes), SIZE_AT);
  buffer.writeUInt32BE(entries, 36);
  buffer.writeBigUInt64BE(BigInt(3 * CLUSTER), 40);
  buffer.writeBigUInt64BE(BigInt(CLUSTER), 48);
  buffer.writeUInt32BE(1, 56);
  // Refcounts have 2^4 bits.
  buffer.writeUInt32BE(4, 96);
  buffer.writeUInt32BE(HEADER_BYTES, 100);
  buffer.writeUInt32BE(BACKING_FORMAT, HEADER_BYTES);
  buffer.writeUInt32BE(format.length, HEADER_BYTES + 4);
  format.copy(buffer, HEADER_BYTES + 8);
  name.copy(buffer, nameAt);
  return buffer;
}

function bigEndian64(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt(value));
  return buffer;
}
