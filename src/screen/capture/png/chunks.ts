import { crc32 } from 'node:zlib';
import type { Size } from '../../geometry.js';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Length and type before the data of a chunk. */
const HEAD = 8;

/** A chunk (PNG specification, 5.3): length, type, data, and CRC-32 of type and data. */
export function chunk(type: 'IHDR' | 'IDAT' | 'IEND', ...data: readonly Buffer[]): Buffer {
  const length = data.reduce((sum, part) => sum + part.length, 0);
  const bytes = Buffer.allocUnsafeSlow(HEAD + length + 4);
  bytes.writeUInt32BE(length, 0);
  bytes.write(type, 4, 'latin1');
  let at = HEAD;
  for (const part of data) at += part.copy(bytes, at);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, at)), at);
  return bytes;
}

/** What comes before the pixels: eight bits each of red, green and blue, not interlaced. */
export function header({ width, height }: Size): Buffer {
  const data = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  return Buffer.concat([SIGNATURE, chunk('IHDR', data), chunk('IDAT', ZLIB_HEADER)]);
}

/** A zlib stream (RFC 1950) of the fastest level with a window of 32 KiB. */
const ZLIB_HEADER = Buffer.from([0x78, 0x01]);

/** What comes after the pixels: the end of the zlib stream with its checksum, and of the picture. */
export function trailer(adler: number): Buffer {
  const end = Buffer.from([0x03, 0x00, 0, 0, 0, 0]);
  end.writeUInt32BE(adler, 2);
  return Buffer.concat([chunk('IDAT', end), chunk('IEND')]);
}
