import { TAR_BLOCK } from './write.js';

/** The bytes are not a complete archive, or not one of regular files. The message is for the user. */
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

/** What an entry is; `other` for devices, pipes and sparse files. */
export type TarKind = 'file' | 'directory' | 'symlink' | 'link' | 'other';

export interface TarItem extends TarEntry {
  readonly kind: TarKind;
  /** Permissions, with set-user-id, set-group-id and sticky. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Seconds since 1970. */
  readonly modified: number;
  /** What a `symlink` or `link` points to. */
  readonly linkName: string;
  /** To be read before the next entry is asked for, or not at all. */
  readonly content: AsyncIterable<Buffer>;
}

/** Longest extended header; names and link targets are in it. */
const MOST_EXTENDED = 256 * 1024;

const KINDS: Readonly<Record<string, TarKind>> = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'symlink',
  '5': 'directory',
};

/**
 * Reads an archive of regular files while it arrives. Names are not checked.
 * @throws TarError it is none, has another kind of entry, or ends early
 */
export async function readTar(source: AsyncIterable<Uint8Array>, sink: TarSink): Promise<void> {
  for await (const { name, size, kind, content } of tarEntries(source)) {
    if (kind !== 'file') throw new TarError('the archive has more than regular files');
    await sink.begin({ name, size });
    for await (const piece of content) await sink.write(piece);
    await sink.end();
  }
}

/**
 * The entries of an archive (POSIX ustar and pax, GNU) while it arrives. Names are not checked.
 * @throws TarError it is none, or ends early
 */
export async function* tarEntries(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarItem> {
  const input = new Input(source);
  try {
    yield* entriesOf(input);
  } finally {
    await input.close();
  }
}

async function* entriesOf(input: Input): AsyncGenerator<TarItem> {
  let extended: Readonly<Record<string, string>> = {};
  while (true) {
    const header = await input.take(TAR_BLOCK);
    if (header.every((byte) => byte === 0)) break;
    checkHeader(header);
    const type = header.toString('latin1', 156, 157);
    const size = Number(extended.size ?? number(header, 124, 12));
    if (!Number.isSafeInteger(size) || size < 0) throw new TarError('an entry has no valid size');
    const padding = (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK;
    if ('xgLK'.includes(type)) {
      if (size > MOST_EXTENDED) throw new TarError('a name in the archive is too long');
      const text = await input.take(size);
      await input.take(padding);
      // Global headers (`g`) name the program that made the archive.
      if (type !== 'g') extended = { ...extended, ...readExtended(type, text) };
      continue;
    }
    let left = size;
    const content = async function* () {
      while (left > 0) {
        const piece = await input.some(left);
        left -= piece.length;
        yield piece;
      }
    };
    const isSparse = Object.keys(extended).some((key) => key.startsWith('GNU.sparse'));
    yield {
      name: extended.path ?? nameIn(header),
      kind: isSparse ? 'other' : (KINDS[type] ?? 'other'),
      size,
      mode: number(header, 100, 8) & 0o7777,
      uid: Number(extended.uid ?? number(header, 108, 8)),
      gid: Number(extended.gid ?? number(header, 116, 8)),
      modified: Math.floor(Number(extended.mtime ?? number(header, 136, 12))) || 0,
      linkName: extended.linkpath ?? text(header, 157, 100),
      content: content(),
    };
    extended = {};
    while (left > 0) left -= (await input.some(left)).length;
    await input.take(padding);
  }
  await input.drain();
}

function checkHeader(header: Buffer): void {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  if (text(header, 257, 5) !== 'ustar' || number(header, 148, 8) !== sum) {
    throw new TarError('this is not a tar archive');
  }
}

function nameIn(header: Buffer): string {
  // GNU archives have times in place of the prefix.
  const prefix = header[262] === 0 ? text(header, 345, 155) : '';
  return `${prefix}${prefix && '/'}${text(header, 0, 100)}`;
}

/** A name of GNU tar, or pax records: `LENGTH KEY=VALUE\n`, the length in bytes. */
function readExtended(type: string, bytes: Buffer): Record<string, string> {
  if (type === 'L') return { path: text(bytes, 0, bytes.length) };
  if (type === 'K') return { linkpath: text(bytes, 0, bytes.length) };
  const records: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const length = Number.parseInt(bytes.toString('latin1', at, at + 20), 10);
    const [, key, value] =
      /^\d+ ([^=]+)=(.*)\n$/s.exec(bytes.toString('utf8', at, at + length)) ?? [];
    if (key === undefined || value === undefined) throw new TarError('a header is not valid');
    records[key] = value;
    at += length;
  }
  return records;
}

function text(bytes: Buffer, from: number, length: number): string {
  return bytes.toString('utf8', from, from + length).replace(/\0.*$/s, '');
}

/** Octal digits, or the binary form of GNU tar for numbers that are too large for them. */
function number(bytes: Buffer, from: number, length: number): number {
  if (((bytes[from] ?? 0) & 0x80) !== 0) return bytes.readUIntBE(from + length - 6, 6);
  return Number.parseInt(text(bytes, from, length).trim() || '0', 8);
}

/** Takes bytes from a source of pieces. */
class Input {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#pieces = source[Symbol.asyncIterator]();
  }

  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = length; left > 0; ) {
      const part = await this.some(left);
      parts.push(part);
      left -= part.length;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /** At least one byte, at most `length`. */
  async some(length: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#pieces.next();
      if (done) throw new TarError('the archive ends early');
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const part = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  /** Ends the source if a caller has not read all of it. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  /** Reads what follows the end of the archive, so that its sender is not interrupted. */
  async drain(): Promise<void> {
    while (!(await this.#pieces.next()).done);
  }
}
