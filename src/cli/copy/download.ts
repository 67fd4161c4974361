import { lstat, mkdir, rm, stat, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { files } from '../../contract/index.js';
import {
  type OutputFile,
  type OutputTarget,
  openTarget,
  outputTarget,
} from '../../lib/fs/output-file.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import { cannotWrite } from '../errors/file-errors.js';
import type { Context } from '../framework/context.js';
import { safeTransform } from '../terminal/safe-output.js';
import { type Copy, failed, Pool, skip } from './copy.js';
import { below, copyName, isSafeLink, isSafeName, meansDirectory } from './copy-path.js';

const MAX_DEPTH = 200;

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
    } else await pool.add(() => fetchFile(copy, source, end, entry, 0));
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
      } else if (entry.type === 'file')
        await pool.add(() => fetchFile(copy, from, to, entry, depth + 1));
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

/** Writes a file, see openOutputFile. What the guest names below a directory follows no link. */
async function fetchFile(
  copy: Copy,
  source: string,
  target: string,
  { mode }: { mode: string },
  depth: number,
): Promise<void> {
  let file: OutputFile | undefined;
  try {
    const there = await (depth === 0 ? outputTarget(target) : targetBelow(target));
    if (there.stats?.isDirectory()) throw new CliError(`${target} is a directory`);
    const remote = await copy.files.open(source, { signal: copy.signal });
    copy.meter.begin(source, remote.size);
    file = await openTarget(there, { mode: Number.parseInt(mode, 8) | 0o200, signal: copy.signal });
    await pipeline(remote, copy.meter.counter(), file.stream);
    await file.commit();
  } catch (error) {
    const isLocal = error instanceof Error && 'syscall' in error;
    await failed(copy, source, isLocal ? cannotWrite(target, error) : error);
  } finally {
    await file?.discard();
  }
}

async function targetBelow(path: string): Promise<OutputTarget> {
  const stats = await lstat(path).catch(() => undefined);
  const isOrdinary = stats === undefined || stats.isFile() || stats.isSymbolicLink();
  if (!isOrdinary && !stats.isDirectory()) throw new CliError(`${path} is not a regular file`);
  return { path, stats: stats?.isSymbolicLink() ? undefined : stats, isSpecial: false };
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
