/** A block of a tar archive, in bytes. */
export const TAR_BLOCK = 512;

/** What ends an archive. */
export const TAR_END = Buffer.alloc(2 * TAR_BLOCK);

/** The header of a regular file in an archive (POSIX ustar). `name` has up to 100 bytes. */
export function tarHeader(name: string, size: number, modified: Date): Buffer {
  const header = Buffer.alloc(TAR_BLOCK);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  if (Buffer.byteLength(name) > 100) throw new RangeError(`a name of the archive is too long`);
  header.write(name, 0);
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(Math.floor(modified.getTime() / 1000), 136, 12);
  header.write('        ', 148, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

/** Zeros behind a file of `size` bytes, up to the next block. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK);
}
