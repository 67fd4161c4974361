import type { Readable } from 'node:stream';

/** Longer pieces are not copied. */
const SMALL = 4096;
const FIRST = 512;
const BLOCK = 16_384;

/**
 * Makes a stream of bytes join small pieces while they wait to be read: a buffer of one byte takes
 * more than 100. Returns a function that counts the bytes that wait.
 */
export function joinPieces(stream: Readable): () => number {
  const push = stream.push.bind(stream);
  const read = stream.read.bind(stream);
  let block = Buffer.alloc(0);
  let used = 0;
  const flush = () => {
    if (used === 0) return;
    const joined = block.subarray(0, used);
    block = Buffer.alloc(0);
    used = 0;
    push(joined);
  };
  const keep = (piece: Buffer) => {
    if (used + piece.length > block.length) {
      const grown = Buffer.allocUnsafeSlow(used + piece.length <= FIRST ? FIRST : BLOCK);
      block.copy(grown, 0, 0, used);
      block = grown;
    }
    used += piece.copy(block, used);
  };
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    // Bytes are kept only behind others, because `read` is called for those.
    const isSmall = Buffer.isBuffer(chunk) && chunk.length > 0 && chunk.length < SMALL;
    if (!isSmall || stream.readableLength === 0) {
      flush();
      return push(chunk, encoding);
    }
    if (used + chunk.length > BLOCK) flush();
    keep(chunk);
    return stream.readableLength + used < stream.readableHighWaterMark;
  };
  stream.read = (size?: number) => {
    flush();
    return read(size);
  };
  return () => stream.readableLength + used;
}
