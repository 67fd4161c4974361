import { TAR_BLOCK } from './write.js';

/** The bytes are not a complete archive of regular files. The message is for the user. */
export class TarError extends Error {
  override readonly name = 'TarError';
}

/** A regular file of an archive; its bytes follow in pieces. */
export interface TarEntry {
  readonly name: string;
  readonly size: number;
}

export interface TarSink {
  /** Called for each file, before its bytes. */
  begin(entry: TarEntry): Promise<void>;
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/**
 * Reads an archive of regular files (POSIX ustar) while it arrives. Names are not checked.
 * @throws TarError it is none, has another kind of entry, or ends early
 */
export async function readTar(source: AsyncIterable<Uint8Array>, sink: TarSink): Promise<void> {
  let waiting: Buffer = Buffer.alloc(0);
  let left = 0;
  let padding = 0;
  let isOver = false;
  for await (const chunk of source) {
    let data: Buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    while (data.length > 0 && !isOver) {
      if (left > 0) {
        const part = data.subarray(0, left);
        await sink.write(part);
        data = data.subarray(part.length);
        left -= part.length;
        if (left === 0) await sink.end();
        continue;
      }
      if (padding > 0) {
        const skipped = Math.min(padding, data.length);
        data = data.subarray(skipped);
        padding -= skipped;
        continue;
      }
      const needed = TAR_BLOCK - waiting.length;
      waiting = Buffer.concat([waiting, data.subarray(0, needed)]);
      data = data.subarray(needed);
      if (waiting.length < TAR_BLOCK) break;
      const entry = entryOf(waiting);
      waiting = Buffer.alloc(0);
      if (entry === undefined) {
        isOver = true;
        break;
      }
      left = entry.size;
      padding = (TAR_BLOCK - (entry.size % TAR_BLOCK)) % TAR_BLOCK;
      await sink.begin(entry);
      if (left === 0) await sink.end();
    }
  }
  if (!isOver) throw new TarError('the archive ends early');
}

/** The file that a header is of; undefined at the end of the archive. */
function entryOf(header: Buffer): TarEntry | undefined {
  if (header.every((byte) => byte === 0)) return undefined;
  const text = (from: number, length: number) =>
    header
      .toString('utf8', from, from + length)
      .replace(/\0.*$/s, '')
      .trim();
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  if (text(257, 5) !== 'ustar' || Number.parseInt(text(148, 8), 8) !== sum) {
    throw new TarError('this is not a tar archive');
  }
  const size = Number.parseInt(text(124, 12), 8);
  if (text(156, 1) !== '0' || text(345, 155) !== '' || !Number.isSafeInteger(size) || size < 0) {
    throw new TarError('the archive has more than regular files');
  }
  return { name: text(0, 100), size };
}
