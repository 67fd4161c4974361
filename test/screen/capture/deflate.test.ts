import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { deflate } from '../../../src/screen/capture/png/deflate.js';

const BUFFER = 64 * 1024;
/** Bytes of a zlib stream besides its data. */
const FRAME = 8;

/** zlib repeats the mark of a flush that just fits into what is left of a buffer. */
test('the same rows give the same bytes, wherever the last ones ended in a buffer', async () => {
  const noise = randomBytes(BUFFER);
  const rows = Buffer.from('the same rows');
  let place = 0;
  const compress = async (bytes: Buffer) => {
    const { data } = await deflate(bytes, 'flat');
    place = (place + data.length + FRAME) % BUFFER;
    return data;
  };
  const expected = Buffer.from(await compress(rows));
  const added = (await compress(noise)).length - noise.length;
  for (let end = BUFFER - 60; end < BUFFER; end++) {
    const missing = (2 * BUFFER + end - place - FRAME - added) % BUFFER;
    await compress(noise.subarray(0, missing));
    expect((await compress(rows)).equals(expected), `from ${end}`).toBe(true);
  }
});
