import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** Writes `stream` to a new file beside `path` and renames it; leaves nothing if that fails. */
export async function downloadFile(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  path: string,
  mode: number | undefined,
): Promise<void> {
  const part = `${path}.${randomBytes(4).toString('hex')}.part`;
  try {
    await pipeline(stream, createWriteStream(part, { flags: 'wx', mode: (mode ?? 0o666) & 0o777 }));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
