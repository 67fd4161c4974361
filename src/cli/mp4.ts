/** Length and type in four bytes each; a length of 1 says that it follows in eight. */
const HEADER = 8;
const LONG_HEADER = 16;

/**
 * Takes the bytes of a fragmented MP4 file as they come and gives those that make a whole file so
 * far: boxes (ISO/IEC 14496-12, 4.2), and a fragment's index only together with its data.
 */
export class WholeFragments {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): Buffer {
    const bytes = Buffer.concat([this.#rest, chunk]);
    let whole = 0;
    for (let at = 0; ; ) {
      const length = boxLength(bytes, at);
      if (length === undefined || at + length > bytes.length) break;
      const type = bytes.toString('latin1', at + 4, at + HEADER);
      at += length;
      if (type !== 'moof') whole = at;
    }
    this.#rest = bytes.subarray(whole);
    return bytes.subarray(0, whole);
  }
}

function boxLength(bytes: Buffer, at: number): number | undefined {
  if (bytes.length < at + HEADER) return undefined;
  const short = bytes.readUInt32BE(at);
  if (short !== 1) return Math.max(HEADER, short);
  return bytes.length < at + LONG_HEADER ? undefined : Number(bytes.readBigUInt64BE(at + HEADER));
}
