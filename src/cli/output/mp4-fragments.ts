/** Length and type, four bytes each. A length of 1 means that the length follows in eight bytes. */
const HEADER = 8;
const LONG_HEADER = 16;

/**
 * Cuts a fragmented MP4 stream so that the output is a playable file at any time: complete boxes
 * only (ISO/IEC 14496-12, 4.2), and the index of a fragment (`moof`) only with its data.
 */
export class FragmentBuffer {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): Buffer {
    const bytes = Buffer.concat([this.#rest, chunk]);
    let complete = 0;
    for (let at = 0; ; ) {
      const length = boxLength(bytes, at);
      if (length === undefined || at + length > bytes.length) break;
      const type = bytes.toString('latin1', at + 4, at + HEADER);
      at += length;
      if (type !== 'moof') complete = at;
    }
    this.#rest = bytes.subarray(complete);
    return bytes.subarray(0, complete);
  }
}

function boxLength(bytes: Buffer, at: number): number | undefined {
  if (bytes.length < at + HEADER) return undefined;
  const short = bytes.readUInt32BE(at);
  if (short !== 1) return Math.max(HEADER, short);
  return bytes.length < at + LONG_HEADER ? undefined : Number(bytes.readBigUInt64BE(at + HEADER));
}
