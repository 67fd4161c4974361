import { randomBytes } from 'node:crypto';
import { constants, createWriteStream, openSync, type Stats } from 'node:fs';
import { open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { sleep } from '../async/sleep.js';

/** Pause until a pipe is opened again that has no reader yet. */
const READER_MS = 50;
/** Bytes that may wait for the disk, which are then written together. */
const WAITING = 1024 * 1024;

interface OutputOptions {
  /** Permissions of a new file; one that is replaced keeps its own. By default 0666. */
  readonly mode?: number | undefined;
  /** Ends waiting for the reader of a pipe. */
  readonly signal?: AbortSignal | undefined;
}

/** Where the bytes for a path go. */
export interface OutputTarget {
  /** To be opened, or to be replaced by a complete file. */
  readonly path: string;
  /** What is there; undefined if nothing is. */
  readonly stats: Stats | undefined;
  /** True for a device, pipe or socket: it is written into, and never replaced. */
  readonly isSpecial: boolean;
}

/** Finds what `path` leads to, which need not exist. Throws the system's error. */
export async function outputTarget(path: string): Promise<OutputTarget> {
  const stats = await statIfExists(path);
  if (stats === undefined) return { path: await missingTarget(path), stats, isSpecial: false };
  const isSpecial = !stats.isFile() && !stats.isDirectory();
  // A path such as /dev/stdout leads to what may have no other path.
  return { path: isSpecial ? path : await realpath(path), stats, isSpecial };
}

/** The path that a link without a target leads to. */
async function missingTarget(path: string): Promise<string> {
  const link = await readlink(path).catch(() => undefined);
  return link === undefined ? path : missingTarget(resolve(dirname(path), link));
}

function statIfExists(path: string): Promise<Stats | undefined> {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}

/** A file that a user has named for the bytes of a command. */
export interface OutputFile {
  /** Ends it before a commit, or is ended by that. */
  readonly stream: Writable;
  write(data: Uint8Array): Promise<void>;
  /** Ends the stream and lets the file appear, complete. */
  commit(): Promise<void>;
  /** Removes what was written; after a commit it does nothing. */
  discard(): Promise<void>;
}

/**
 * Opens the file behind `path` for writing. A regular one appears, complete or not at all, when it is
 * committed: it is written beside its path first, and then renamed. A device or pipe is written into.
 */
export async function openOutputFile(
  path: string,
  options: OutputOptions = {},
): Promise<OutputFile> {
  return openTarget(await outputTarget(path), options);
}

/** The same for a path whose links have been followed, or are to be replaced. */
export async function openTarget(
  { path, stats, isSpecial }: OutputTarget,
  { mode = 0o666, signal }: OutputOptions = {},
): Promise<OutputFile> {
  if (stats?.isDirectory()) {
    throw Object.assign(new Error(`EISDIR: is a directory, open '${path}'`), {
      code: 'EISDIR',
      syscall: 'open',
    });
  }
  if (isSpecial)
    return outputOf(
      await openSpecial(path, stats, signal),
      async () => {},
      async () => {},
    );
  const temporary = join(dirname(path), `.vc-${randomBytes(6).toString('hex')}.tmp`);
  const file = await open(temporary, 'wx', stats?.isFile() ? stats.mode & 0o777 : mode & 0o777);
  const stream = createWriteStream(temporary, { fd: file, highWaterMark: WAITING });
  return outputOf(
    stream,
    () => rename(temporary, path),
    () => rm(temporary, { force: true }),
  );
}

function outputOf(
  stream: Writable,
  publish: () => Promise<void>,
  remove: () => Promise<void>,
): OutputFile {
  // Each method reports it.
  stream.on('error', () => undefined);
  let isCommitted = false;
  return {
    stream,
    write: (data) =>
      new Promise((done, fail) => {
        stream.write(data, (error) => (error ? fail(error) : done()));
      }),
    commit: async () => {
      if (!stream.writableFinished) {
        stream.end();
        await finished(stream, { readable: false });
      }
      await publish();
      isCommitted = true;
    },
    discard: async () => {
      if (isCommitted) return;
      stream.destroy();
      await remove();
    },
  };
}

/** A pipe is opened without blocking a thread, which would keep this process from ending. */
async function openSpecial(
  path: string,
  stats: Stats | undefined,
  signal: AbortSignal | undefined,
): Promise<Writable> {
  const { O_WRONLY, O_NONBLOCK } = constants;
  if (!stats?.isFIFO()) return createWriteStream(path, { fd: await open(path, O_WRONLY) });
  for (;;) {
    try {
      const fd = openSync(path, O_WRONLY | O_NONBLOCK);
      return new Socket({ fd, readable: false, writable: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    }
    await sleep(READER_MS, signal);
  }
}

/** Writes all of `data` to the file behind `path`, see {@link openOutputFile}. */
export async function writeOutputFile(
  path: string,
  data: Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: OutputOptions = {},
): Promise<void> {
  const file = await openOutputFile(path, options);
  try {
    const source = data instanceof Uint8Array ? [data] : data;
    await pipeline(source, file.stream);
    await file.commit();
  } finally {
    await file.discard();
  }
}
