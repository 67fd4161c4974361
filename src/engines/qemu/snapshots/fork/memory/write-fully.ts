import type { FileHandle } from 'node:fs/promises';

/** Writes all of `data` from the file's byte `position` on. */
export async function writeFully(file: FileHandle, data: Buffer, position: number): Promise<void> {
  for (let done = 0; done < data.length; ) {
    const { bytesWritten } = await file.write(data, done, data.length - done, position + done);
    done += bytesWritten;
  }
}
