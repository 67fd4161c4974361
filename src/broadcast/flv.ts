/** A tag of an FLV file: a piece of audio, video or metadata (Adobe FLV 10.1, E.4.1). */
export interface FlvTag {
  readonly kind: 'audio' | 'video' | 'script';
  /** Milliseconds. */
  readonly timestamp: number;
  readonly data: Buffer;
}

const KINDS: Readonly<Record<number, FlvTag['kind']>> = { 8: 'audio', 9: 'video', 18: 'script' };
const FILE_HEADER = 9;
const TAG_HEADER = 11;
/** The size of the previous tag, stored after each tag. */
const BACK_POINTER = 4;

/** Decodes the tags of an FLV stream. */
export class FlvReader {
  #chunks: Buffer[] = [];
  #length = 0;
  #needed = FILE_HEADER + BACK_POINTER;
  #inFile = false;

  push(chunk: Buffer): FlvTag[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#needed) return [];
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    if (!this.#inFile) {
      if (rest.toString('latin1', 0, 3) !== 'FLV') throw new Error('The stream is not FLV.');
      rest = rest.subarray(rest.readUInt32BE(5) + BACK_POINTER);
      this.#inFile = true;
    }
    const tags: FlvTag[] = [];
    for (;;) {
      this.#needed = TAG_HEADER;
      if (rest.length < this.#needed) break;
      const size = rest.readUIntBE(1, 3);
      this.#needed = TAG_HEADER + size + BACK_POINTER;
      if (rest.length < this.#needed) break;
      const kind = KINDS[(rest[0] ?? 0) & 31];
      const timestamp = (((rest[7] ?? 0) << 24) | rest.readUIntBE(4, 3)) >>> 0;
      const data = rest.subarray(TAG_HEADER, TAG_HEADER + size);
      if (kind !== undefined) tags.push({ kind, timestamp, data });
      rest = rest.subarray(this.#needed);
    }
    this.#chunks = [rest];
    this.#length = rest.length;
    return tags;
  }
}
