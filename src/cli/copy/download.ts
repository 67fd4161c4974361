import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, mkdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { files } from '../../contract/index.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import { cannotWrite } from '../errors/file-errors.js';
import type { Context } from '../framework/context.js';
import { safeTransform } from '../terminal/safe-output.js';
import { type Copy, failed, skip } from './copy.js';
import { below, copyName, isSafeLink, isSafeName, meansDirectory } from './copy-path.js';
import { Pool } from './pool.js';

const MAX_DEPTH = 200;
/** Bytes that may wait for the disk, which are then written together. */
const WAITING = 1024 * 1024;

/** Copies paths of the computer to `target` on this machine. */
export async function download(copy: Copy, sources: readonly string[], target: string) {
  const path = resolve(copy.context.cwd, target);
  const into = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!into && sources.length > 1) {
    throw new UsageError(`${target} is not a directory`, 'several sources need a target directory');
  }
  const pool = new Pool();
  for (const source of sources) {
    const entry = await copy.files.entry(source, { signal: copy.signal });
    const name = copyName(source);
    const end = into && name !== undefined ? join(path, name) : path;
    if (entry.type === 'directory') await fetchDirectory(copy, pool, source, end, entry, 0);
    else if (meansDirectory(target) && !into) {
      throw new UsageError(`${target} is not a directory`);
    } else await pool.add(() => fetchFile(copy, source, end, entry));
  }
  await pool.end();
}

/** Copies a file of the computer to stdout. A terminal gets none of its control characters. */
export async function downloadOutput(
  copy: Copy,
  source: string,
  output: Context['io']['stdout'],
): Promise<void> {
  const file = await copy.files.open(source, { signal: copy.signal });
  copy.meter.begin(source, file.size);
  const shown = output.isTTY === true ? safeTransform() : new PassThrough();
  await pipeline(file, copy.meter.counter(), shown, output, { end: false });
}

/** The names come from the guest, so each is checked before use. */
async function fetchDirectory(
  copy: Copy,
  pool: Pool,
  source: string,
  target: string,
  { mode }: { mode: string },
  depth: number,
): Promise<void> {
  try {
    if (depth > MAX_DEPTH) throw new CliError('too many nested directories');
    const entries = await copy.files.list(source, { signal: copy.signal });
    await makeDirectory(target, Number.parseInt(mode, 8), depth);
    for (const entry of entries) {
      const from = below(source, entry.name);
      if (!isSafeName(entry.name)) {
        await skip(copy, JSON.stringify(from), 'unsafe file name');
        continue;
      }
      const to = join(target, entry.name);
      if (entry.type === 'directory') {
        await fetchDirectory(copy, pool, from, to, entry, depth + 1);
      } else if (entry.type === 'file') await pool.add(() => fetchFile(copy, from, to, entry));
      else if (entry.type === 'link') await fetchLink(copy, from, to, entry, depth);
      else await skip(copy, from, 'not a file, directory or symbolic link');
    }
  } catch (error) {
    await failed(copy, source, error);
  }
}

/** Creates a directory. Below the top, a link to a directory is refused. */
async function makeDirectory(path: string, mode: number, depth: number): Promise<void> {
  try {
    await mkdir(path, { mode: (mode & 0o777) | 0o700 });
  } catch (cause) {
    const there = await (depth === 0 ? stat(path) : lstat(path)).catch(() => undefined);
    if (there?.isDirectory()) return;
    throw cannotWrite(path, cause);
  }
}

/** Writes a file atomically: a temporary file first, which is then renamed. */
async function fetchFile(
  copy: Copy,
  source: string,
  target: string,
  { mode }: { mode: string },
): Promise<void> {
  const temporary = join(dirname(target), `.vc-${randomBytes(6).toString('hex')}.tmp`);
  try {
    const there = await lstat(target).catch(() => undefined);
    if (there?.isDirectory()) throw new CliError(`${target} is a directory`);
    const file = await copy.files.open(source, { signal: copy.signal });
    copy.meter.begin(source, file.size);
    const kept = there?.isFile() ? there.mode & 0o777 : undefined;
    const written = createWriteStream(temporary, {
      flags: 'wx',
      highWaterMark: WAITING,
      mode: kept ?? (Number.parseInt(mode, 8) & 0o777) | 0o200,
    });
    await pipeline(file, copy.meter.counter(), written);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    const isLocal = error instanceof Error && 'syscall' in error;
    await failed(copy, source, isLocal ? cannotWrite(target, error) : error);
  }
}

/** Copies a link if it stays within the copied directory; others are unsafe. */
async function fetchLink(
  copy: Copy,
  source: string,
  target: string,
  { target: linkTarget = '' }: files.FileEntry,
  depth: number,
): Promise<void> {
  if (!isSafeLink(linkTarget, depth)) {
    await skip(
      copy,
      source,
      `links to ${JSON.stringify(linkTarget)}, outside the copied directory`,
    );
    return;
  }
  try {
    const there = await lstat(target).catch(() => undefined);
    if (there?.isSymbolicLink()) await rm(target);
    await symlink(linkTarget, target);
  } catch (error) {
    await failed(copy, source, cannotWrite(target, error));
  }
}
