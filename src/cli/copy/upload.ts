import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { ServiceError } from '../../client/errors.js';
import { shellWord } from '../../lib/text/shell-word.js';
import { UsageError } from '../errors/cli-error.js';
import { cannotRead } from '../errors/file-errors.js';
import type { Context } from '../framework/context.js';
import { type Copy, failed, Pool, skip } from './copy.js';
import { below, copyName, meansDirectory } from './copy-path.js';

/** Bytes read at once. Each read is a round trip to another thread. */
const PIECE = 512 * 1024;

/** Copies paths of this machine, or stdin, to `target` in the computer. */
export async function upload(copy: Copy, sources: readonly string[], target: string) {
  // All of them, before anything is copied.
  const files = await localFiles(copy.context, sources);
  const into = await isRemoteDirectory(copy, target);
  if (!into && sources.length > 1) {
    throw notADirectory(target, sources.length);
  }
  const pool = new Pool();
  for (const { source, path, stats } of files) {
    const name = copyName(source);
    const end = into && name !== undefined ? below(target, name) : target;
    if (stats.isDirectory()) await sendDirectory(copy, pool, path, end, stats.mode & 0o777);
    else if (meansDirectory(target) && !into) {
      throw notADirectory(target);
    } else await pool.add(() => sendFile(copy, path, end, stats));
  }
  await pool.end();
}

/** The sources of an upload. Throws for those that cannot be copied. */
export function localFiles({ cwd }: Pick<Context, 'cwd'>, sources: readonly string[]) {
  return Promise.all(sources.map((source) => localFile(cwd, source)));
}

async function localFile(cwd: string, source: string) {
  const path = resolve(cwd, source);
  const stats = await stat(path).catch((cause: unknown) => {
    throw cannotRead(source, cause);
  });
  if (!stats.isFile() && !stats.isDirectory()) {
    const remedy = `send what it prints on stdin: vc cp - COMPUTER:PATH < ${source}`;
    throw new UsageError(`cannot read ${source}: not a regular file`, remedy);
  }
  return { source, path, stats };
}

/** Copies stdin to a file in the computer. */
export async function uploadInput(copy: Copy, input: Context['io']['stdin'], target: string) {
  if (meansDirectory(target))
    throw new UsageError('no file name given for stdin', 'end the target with a file name');
  copy.meter.begin(target, undefined);
  const body = pipeline(input, copy.meter.counter(), () => undefined);
  await copy.files.write(target, body, { signal: copy.signal });
}

/** Throws if the computer does not exist. */
export async function isRemoteDirectory(copy: Copy, target: string): Promise<boolean> {
  try {
    return (await copy.files.entry(target, { signal: copy.signal })).type === 'directory';
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
    // The path or the computer is missing; in the latter case this throws.
    await copy.findComputer();
    return false;
  }
}

async function sendDirectory(copy: Copy, pool: Pool, path: string, target: string, mode: number) {
  try {
    // The owner needs write permission to fill it.
    await copy.files.makeDirectory(target, { mode: mode | 0o700, signal: copy.signal });
    for (const name of await readdir(path)) {
      const [from, to] = [join(path, name), below(target, name)];
      const stats = await lstat(from);
      if (stats.isDirectory()) await sendDirectory(copy, pool, from, to, stats.mode & 0o777);
      else if (stats.isFile()) await pool.add(() => sendFile(copy, from, to, stats));
      else if (stats.isSymbolicLink()) await pool.add(() => sendLink(copy, from, to));
      else await skip(copy, from, 'not a file, directory or symbolic link');
    }
  } catch (error) {
    await failed(copy, path, error);
  }
}

async function sendFile(
  copy: Copy,
  path: string,
  target: string,
  { size, mode }: { size: number; mode: number },
): Promise<void> {
  try {
    copy.meter.begin(path, size);
    const body = pipeline(
      createReadStream(path, { highWaterMark: PIECE }),
      copy.meter.counter(),
      () => undefined,
    );
    const { signal } = copy;
    await copy.files.write(target, body, { mode: mode & 0o777, size, signal });
  } catch (error) {
    await failed(copy, path, error);
  }
}

async function sendLink(copy: Copy, path: string, target: string): Promise<void> {
  try {
    await copy.files.makeLink(target, await readlink(path), { signal: copy.signal });
  } catch (error) {
    await failed(copy, path, error);
  }
}

/** For a target that ends with a slash, or of several sources. */
export function notADirectory(target: string, sources = 1): UsageError {
  const make = `make it: vc exec COMPUTER -- mkdir -p ${shellWord(target)}`;
  return new UsageError(
    `${target} is not a directory in the computer`,
    sources > 1 ? `several sources need a target directory; ${make}` : make,
  );
}
