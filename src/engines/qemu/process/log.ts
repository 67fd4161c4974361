import { constants } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { openOwnFile } from './own-file.js';
import { LOG_BYTES } from './supervisor-script.js';

const NAME = 'qemu.log';
const EXCERPT_BYTES = 4096;
const EXCERPT_LINES = 3;

/**
 * Opens a machine's log for the next run. One run adds at most {@link LOG_BYTES} (the supervisor
 * limits each writer); a long log is rotated first, so the directory holds a few MiB at most.
 */
export async function openLog(directory: string): Promise<{ file: FileHandle; start: number }> {
  const path = join(directory, NAME);
  const { O_WRONLY, O_APPEND } = constants;
  const file = await openOwnFile(path, O_WRONLY | O_APPEND);
  const { size } = await file.stat();
  if (size < LOG_BYTES / 4) return { file, start: size };
  await file.close();
  await rename(path, `${path}.old`);
  return { file: await openOwnFile(path, O_WRONLY | O_APPEND), start: 0 };
}

/** The first lines of a machine's log from byte `start`, as one line. */
export async function firstLogLines(directory: string, start = 0): Promise<string> {
  const text = await readExcerpt(join(directory, NAME), () => start);
  return asOneLine(relevantLines(text).slice(0, EXCERPT_LINES));
}

/** The last lines of a machine's log from byte `start`, as one line. */
export async function lastLogLines(directory: string, start = 0): Promise<string> {
  const text = await readTail(join(directory, NAME), start);
  return asOneLine(relevantLines(text).slice(-EXCERPT_LINES));
}

/** The end of a file that a guest may have written; empty if the file does not exist. */
export async function readTail(path: string, start = 0): Promise<string> {
  return readExcerpt(path, (size) => Math.max(start, size - EXCERPT_BYTES));
}

async function readExcerpt(path: string, from: (size: number) => number): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) return '';
  try {
    const at = from((await file.stat()).size);
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(EXCERPT_BYTES),
      0,
      EXCERPT_BYTES,
      at,
    );
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function relevantLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line && !ROUTINE.test(line));
}

function asOneLine(lines: readonly string[]): string {
  return lines.join(' ') || 'the log is empty';
}

/** What slirp4netns prints on success. */
const ROUTINE = /^(WARNING: Support for seccomp|Starting slirp|\* |sent tapfd|received tapfd)/;
