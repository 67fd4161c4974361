import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** A file has more bytes than its reader accepts. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError';

  constructor(most: number) {
    super(`it is larger than ${sizeText(most)}`);
  }
}

/**
 * Reads a whole file, also one whose size is not known, such as a pipe.
 * @throws FileTooLargeError it has more than `most` bytes, of which no more are read
 */
export async function readBounded(path: string, most: number): Promise<Buffer> {
  return (await readWithOwner(path, most)).data;
}

/** The same with the user id of the file's owner, which is that of the bytes that were read. */
export async function readWithOwner(
  path: string,
  most: number,
): Promise<{ readonly data: Buffer; readonly uid: number }> {
  const file = await open(path);
  try {
    return { data: await readHandleBounded(file, most), uid: (await file.stat()).uid };
  } finally {
    await file.close();
  }
}

/** The same for a file that its caller has opened, at its beginning, and closes. */
export async function readHandleBounded(file: FileHandle, most: number): Promise<Buffer> {
  const { size } = await file.stat();
  if (size > most) throw new FileTooLargeError(most);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of file.createReadStream({ autoClose: false, end: most })) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
  }
  if (length > most) throw new FileTooLargeError(most);
  return Buffer.concat(chunks, length);
}

/** The same without waiting, for a small file that nobody else has to wait for. */
export function readBoundedSync(path: string, most: number): Buffer {
  const file = openSync(path, 'r');
  try {
    if (fstatSync(file).size > most) throw new FileTooLargeError(most);
    const chunks: Buffer[] = [];
    for (let length = 0; length <= most; ) {
      const chunk = Buffer.allocUnsafe(Math.min(16_384, most + 1 - length));
      const bytes = readSync(file, chunk);
      if (bytes === 0) return Buffer.concat(chunks, length);
      chunks.push(chunk.subarray(0, bytes));
      length += bytes;
    }
    throw new FileTooLargeError(most);
  } finally {
    closeSync(file);
  }
}

/** A limit in words: `8 MiB`. */
export function sizeText(bytes: number): string {
  return bytes < 1 << 20 ? `${bytes / 1024} KiB` : `${bytes / (1 << 20)} MiB`;
}
