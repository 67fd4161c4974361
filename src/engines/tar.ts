/** Bytes of a header, and what contents are padded to. */
const BLOCK = 512;
/** Offset and length of fields in a header: POSIX `ustar`. */
const NAME = [0, 100] as const;
const MODE = [100, 8] as const;
const UID = [108, 8] as const;
const GID = [116, 8] as const;
const SIZE = [124, 12] as const;
const MTIME = [136, 12] as const;
const CHECKSUM = [148, 8] as const;
const TYPE = 156;
const MAGIC = [257, 8] as const;

type Field = readonly [offset: number, length: number];

export interface TarEntry {
  /** Shared with the archive. */
  readonly header: Buffer;
  /** Shared with the archive; padded to full blocks. */
  readonly content: Buffer;
}

/** The end of an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK);

/** The entries of an archive, extended headers (PAX, GNU) included, up to its end. */
export function* readTar(archive: Buffer): Generator<TarEntry> {
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return;
    const end = at + BLOCK + Math.ceil(number(header, SIZE) / BLOCK) * BLOCK;
    if (end <= at) throw new Error('an archive has an entry of negative size');
    if (end > archive.length) throw new Error('an archive ends within an entry');
    yield { header, content: archive.subarray(at + BLOCK, end) };
    at = end;
  }
}

/** The content of an archive's first file. */
export function firstFile(archive: Buffer): Buffer {
  for (const { header, content } of readTar(archive)) {
    const type = header[TYPE];
    if (type === 0 || type === 0x30) return content.subarray(0, number(header, SIZE));
  }
  throw new Error('an archive has no file');
}

/** A header in which ids `from` are replaced by `to`; the same buffer if it has none. */
export function replaceOwner(header: Buffer, from: number, to: number): Buffer {
  const fields = [UID, GID].filter((field) => number(header, field) === from);
  if (fields.length === 0) return header;
  const replaced = Buffer.from(header);
  for (const [offset] of fields) writeId(replaced, offset, to);
  return withChecksum(replaced);
}

/** A file or directory: a directory's name ends with a slash. */
export function tarEntry(name: string, mode: number, id: number, content = Buffer.alloc(0)) {
  const header = Buffer.alloc(BLOCK);
  header.write(name, ...NAME);
  octal(header, MODE, mode);
  writeId(header, UID[0], id);
  writeId(header, GID[0], id);
  octal(header, SIZE, content.length);
  octal(header, MTIME, Math.floor(Date.now() / 1000));
  header.write(name.endsWith('/') ? '5' : '0', TYPE);
  header.write('ustar\0' + '00', ...MAGIC);
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  return Buffer.concat([withChecksum(header), content, padding]);
}

/** Binary, as GNU tar writes ids over 2,097,151: octal digits have no room for them. */
function writeId(header: Buffer, offset: number, id: number): void {
  header.writeUInt32BE(0x80000000, offset);
  header.writeUInt32BE(id, offset + 4);
}

function octal(header: Buffer, [offset, length]: Field, value: number): void {
  header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, length);
}

function number(header: Buffer, [offset, length]: Field): number {
  const isBinary = ((header[offset] ?? 0) & 0x80) !== 0;
  if (isBinary) return header.readUIntBE(offset + length - 6, 6);
  return Number.parseInt(header.toString('latin1', offset, offset + length), 8) || 0;
}

/** The sum of all bytes, the field itself taken as spaces. */
function withChecksum(header: Buffer): Buffer {
  const [offset, length] = CHECKSUM;
  header.fill(' ', offset, offset + length);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, offset, length);
  return header;
}
