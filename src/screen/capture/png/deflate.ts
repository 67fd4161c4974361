import { constants, createDeflate, type Deflate } from 'node:zlib';
import type { Texture } from './rows.js';

export interface Deflated {
  /** Raw deflate data that ends on a byte and refers to nothing before it. */
  readonly data: Buffer;
  /** Adler-32 of the data before compression. */
  readonly adler: number;
}

/** The end of a zlib stream after a flush: an empty last block and the checksum. */
const END = 6;
const ZLIB_HEADER = 2;
const CHUNK = 64 * 1024;

/**
 * Compresses in the thread pool; the caller limits how many at once. Photos are searched for equal
 * neighbours only. The same data always gives the same result: a stream that is used again begins in the
 * middle of its buffer, and zlib repeats the mark of a flush that just fits into the rest.
 */
export async function deflate(rows: Buffer, texture: Texture): Promise<Deflated> {
  const stream = createDeflate({
    level: constants.Z_BEST_SPEED,
    strategy: texture === 'photo' ? constants.Z_RLE : constants.Z_DEFAULT_STRATEGY,
    flush: constants.Z_SYNC_FLUSH,
    chunkSize: CHUNK,
  });
  try {
    const whole = await run(stream, rows);
    const adler = whole.readUInt32BE(whole.length - 4);
    return { data: whole.subarray(ZLIB_HEADER, -END), adler };
  } finally {
    stream.close();
  }
}

/** A whole zlib stream of `rows`, whose last block is empty. */
function run(stream: Deflate, rows: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => void parts.push(part));
    stream.once('error', reject);
    stream.write(rows);
    stream.flush(constants.Z_FINISH, () => resolve(Buffer.concat(parts)));
  });
}
