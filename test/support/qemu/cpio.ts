/** One file of an archive; without content, a directory. */
export interface CpioEntry {
  readonly path: string;
  readonly content?: Buffer | string;
}

/** An initramfs archive in cpio's `newc` format; all files are executable. */
export function cpio(entries: readonly CpioEntry[]): Buffer {
  const parts = [...entries, { path: 'TRAILER!!!', content: '' }].flatMap((entry, index) => {
    const content = Buffer.from(entry.content ?? '');
    const mode = entry.content === undefined ? 0o040755 : 0o100755;
    const name = Buffer.from(`${entry.path}\0`);
    const fields = [index + 1, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length, 0];
    const header = `070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}`;
    return [aligned(Buffer.concat([Buffer.from(header), name])), aligned(content)];
  });
  return Buffer.concat(parts);
}

function aligned(part: Buffer): Buffer {
  return Buffer.concat([part, Buffer.alloc((4 - (part.length % 4)) % 4)]);
}
