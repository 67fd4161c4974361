/** A block of a tar archive, in bytes. */
export const TAR_BLOCK = 512;

/** What ends an archive. */
export const TAR_END = Buffer.alloc(2 * TAR_BLOCK);

/** The header of a regular file in an archive (POSIX ustar). `name` has up to 100 bytes. */
export function tarHeader(name: string, size: number, modified: Date): Buffer {
  if (Buffer.byteLength(name) > 100) throw new RangeError(`a name of the archive is too long`);
  const seconds = Math.floor(modified.getTime() / 1000);
  return tarEntryHeader({ name, kind: 'file', mode: 0o644, size, modified: seconds });
}

export interface TarHeader {
  /** Relative; that of a directory ends with a slash. */
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'link';
  readonly mode: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly size?: number;
  /** Seconds since 1970. */
  readonly modified?: number;
  readonly linkName?: string;
}

const TYPES = { file: '0', link: '1', symlink: '2', directory: '5' } as const;

/** The header of an entry, after an extended one (POSIX pax) for what ustar has no room for. */
export function tarEntryHeader(entry: TarHeader): Buffer {
  const { name, kind, mode, uid = 0, gid = 0, size = 0, modified = 0, linkName = '' } = entry;
  const records = [
    Buffer.byteLength(name) > 100 ? record('path', name) : '',
    Buffer.byteLength(linkName) > 100 ? record('linkpath', linkName) : '',
    uid > 0o7777777 ? record('uid', String(uid)) : '',
    gid > 0o7777777 ? record('gid', String(gid)) : '',
    size > 0o77777777777 ? record('size', String(size)) : '',
  ].join('');
  const header = block(TYPES[kind], name, linkName, [mode, uid, gid, size, modified]);
  if (records === '') return header;
  const bytes = Buffer.from(records);
  const extended = block('x', 'pax', '', [0o644, 0, 0, bytes.length, modified]);
  return Buffer.concat([extended, bytes, tarPadding(bytes.length), header]);
}

/** Zeros behind a file of `size` bytes, up to the next block. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK);
}

/** An entry with its bytes, as many as `size`. */
export interface TarContent extends TarHeader {
  readonly content?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** An archive of entries, in pieces. Throws if one has more or fewer bytes than its header says. */
export async function* writeTar(
  entries: AsyncIterable<TarContent> | Iterable<TarContent>,
): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    const { name, size = 0, content = [] } = entry;
    yield tarEntryHeader(entry);
    let written = 0;
    for await (const piece of content) {
      written += piece.length;
      if (written > size) break;
      yield piece;
    }
    if (written !== size) throw new Error(`${name} changed while it was read`);
    yield tarPadding(size);
  }
  yield TAR_END;
}

/** Numbers: mode, uid, gid, size, time. Those without room are left to the extended header. */
function block(type: string, name: string, linkName: string, numbers: readonly number[]): Buffer {
  const header = Buffer.alloc(TAR_BLOCK);
  const fields = [8, 8, 8, 12, 12];
  header.write(name, 0, 100);
  let at = 100;
  for (const [index, length] of fields.entries()) {
    const digits = Math.max(0, numbers[index] ?? 0)
      .toString(8)
      .padStart(length - 1, '0');
    header.write(`${digits.length < length ? digits : '0'.repeat(length - 1)}\0`, at, 'latin1');
    at += length;
  }
  header.write('        ', 148, 'latin1');
  header.write(type, 156, 'latin1');
  header.write(linkName, 157, 100);
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

/** A record of an extended header. Its length counts its own digits. */
function record(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest;
  while (length !== rest + String(length).length) length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}
