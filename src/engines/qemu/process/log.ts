import { constants } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { openOwn } from './own-file.js';
import { LOG_BYTES } from './supervisor.js';

const NAME = 'qemu.log';
const TAIL_BYTES = 4096;

/**
 * A machine's log, opened for what is started next. One run adds at most {@link LOG_BYTES} (each
 * writer is held to it), and a long one is put aside before: so the directory holds a few MiB.
 */
export async function openLog(directory: string): Promise<{ file: FileHandle; start: number }> {
  const path = join(directory, NAME);
  const { O_WRONLY, O_APPEND } = constants;
  const file = await openOwn(path, O_WRONLY | O_APPEND);
  const { size } = await file.stat();
  if (size < LOG_BYTES / 4) return { file, start: size };
  await file.close();
  await rename(path, `${path}.old`);
  return { file: await openOwn(path, O_WRONLY | O_APPEND), start: 0 };
}

/** The last lines in a machine's log since byte `start`, as one line. */
export async function lastWords(directory: string, start = 0): Promise<string> {
  const lines = (await readTail(join(directory, NAME), start)).split('\n');
  const telling = lines.map((line) => line.trim()).filter((line) => line && !USUAL.test(line));
  return telling.slice(-3).join(' ') || 'it said nothing';
}

/** The end of a file that is not to be trusted; empty when there is none. */
export async function readTail(path: string, start = 0): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) return '';
  try {
    const from = Math.max(start, (await file.stat()).size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, from);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** What slirp4netns says when all is well. */
const USUAL = /^(WARNING: Support for seccomp|Starting slirp|\* |sent tapfd|received tapfd)/;
