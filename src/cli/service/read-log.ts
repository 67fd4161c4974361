import { type FileHandle, open } from 'node:fs/promises';
import { sleep } from '../../lib/async/sleep.js';

/** The log is rotated at 8 MiB; more of it is not read. */
const MOST_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const POLL_MS = 200;

/** A place in a log file that may be replaced or emptied. */
export interface Place {
  readonly inode: number;
  readonly offset: number;
}

/** The last `count` lines of the log, those of the file before it included, and where they end. */
export async function lastLines(
  path: string,
  count: number,
): Promise<{ readonly lines: string[]; readonly end: Place | undefined }> {
  const { lines, end } = await linesOf(path, count);
  if (lines.length >= count) return { lines, end };
  const older = await linesOf(`${path}.old`, count - lines.length);
  return { lines: [...older.lines, ...lines], end };
}

async function linesOf(path: string, count: number) {
  const file = await openIfThere(path);
  if (file === undefined) return { lines: [], end: undefined };
  try {
    const { size, ino } = await file.stat();
    const start = Math.max(0, size - MOST_BYTES);
    const buffer = Buffer.alloc(size - start);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
    const text = buffer.toString('utf8', 0, bytesRead);
    // The part of a line that is still being written is left to the next read.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const offset = start + Buffer.byteLength(whole);
    const lines = whole === '' ? [] : whole.slice(0, -1).split('\n');
    return { lines: count === 0 ? [] : lines.slice(-count), end: { inode: ino, offset } };
  } finally {
    await file.close();
  }
}

/**
 * Lines as they are added behind `from`, also after the file was emptied or replaced. Throws when
 * the signal is aborted.
 */
export async function* newLines(
  path: string,
  from: Place | undefined,
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  let place = from;
  for (;;) {
    const added = await addedLines(path, place);
    place = added.end ?? place;
    if (added.lines.length > 0) yield added.lines;
    else await sleep(POLL_MS, signal);
  }
}

async function addedLines(path: string, from: Place | undefined) {
  const file = await openIfThere(path);
  if (file === undefined) return { lines: [], end: undefined };
  try {
    const { size, ino } = await file.stat();
    const isSame = from?.inode === ino && from.offset <= size;
    const offset = isSame ? from.offset : 0;
    const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, size - offset));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
    const read = buffer.subarray(0, bytesRead);
    // A line longer than a chunk is cut.
    const length = read.lastIndexOf('\n') + 1 || (bytesRead === CHUNK_BYTES ? bytesRead : 0);
    const text = read.toString('utf8', 0, length).replace(/\n$/, '');
    return {
      lines: length === 0 ? [] : text.split('\n'),
      end: { inode: ino, offset: offset + length },
    };
  } finally {
    await file.close();
  }
}

/** Undefined if there is no such file. */
async function openIfThere(path: string): Promise<FileHandle | undefined> {
  return open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
