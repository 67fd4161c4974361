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

/** Streams to be used again: the state of a new one takes 260 kB and as long as a small band. */
const idle: Record<Texture, Deflate[]> = { flat: [], photo: [] };

/**
 * Compresses in the thread pool; the caller limits how many at once. Photos are searched for equal
 * neighbours only. The same data always gives the same result.
 */
export async function deflate(rows: Buffer, texture: Texture): Promise<Deflated> {
  const stream = idle[texture].pop() ?? open(texture);
  const whole = await run(stream, rows);
  stream.reset();
  idle[texture].push(stream);
  return { data: whole.subarray(ZLIB_HEADER, -END), adler: whole.readUInt32BE(whole.length - 4) };
}

function open(texture: Texture): Deflate {
  return createDeflate({
    level: constants.Z_BEST_SPEED,
    strategy: texture === 'photo' ? constants.Z_RLE : constants.Z_DEFAULT_STRATEGY,
    flush: constants.Z_SYNC_FLUSH,
    chunkSize: CHUNK,
  });
}

/** A whole zlib stream of `rows`, whose last block is empty. */
function run(stream: Deflate, rows: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const onData = (part: Buffer) => void parts.push(part);
    stream.on('data', onData);
    stream.once('error', reject);
    stream.write(rows);
    stream.flush(constants.Z_FINISH, () => {
      stream.off('data', onData);
      stream.off('error', reject);
      resolve(Buffer.concat(parts));
    });
  });
}
