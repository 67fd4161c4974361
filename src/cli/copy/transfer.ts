import { pipeline } from 'node:stream';
import type { ComputerFiles } from '../../client/files/files.js';
import type { files } from '../../contract/index.js';
import { CliError } from '../errors/cli-error.js';
import { type Copy, failed, Pool, skip } from './copy.js';
import { below, copyName, isSafeLink, isSafeName, meansDirectory } from './copy-path.js';
import { isRemoteDirectory, notADirectory } from './upload.js';

const MAX_DEPTH = 200;

/** A copy between computers, which may be one and the same. `files` are those of the target. */
export interface Transfer extends Copy {
  readonly from: ComputerFiles;
}

/** Copies paths of a computer to `target` in a computer. The bytes pass through this process. */
export async function transfer(copy: Transfer, sources: readonly string[], target: string) {
  const { signal } = copy;
  const found = await Promise.all(sources.map((source) => copy.from.entry(source, { signal })));
  const into = await isRemoteDirectory(copy, target);
  if (!into && (sources.length > 1 || (meansDirectory(target) && found[0]?.type !== 'directory'))) {
    throw notADirectory(target, found.length);
  }
  const pool = new Pool();
  for (const [index, entry] of found.entries()) {
    const source = sources[index] ?? '';
    const name = copyName(source);
    const end = into && name !== undefined ? below(target, name) : target;
    if (entry.type === 'directory') await sendDirectory(copy, pool, source, end, entry.mode, 0);
    else await pool.add(() => sendFile(copy, source, end, entry.mode));
  }
  await pool.end();
}

/**
 * The names and links come from the source's guest, so each is checked before use. Below the top, nothing
 * goes through a link of the target: one that stays within the copied directory can lead up in it, and
 * what follows it is no longer where its depth says.
 */
async function sendDirectory(
  copy: Transfer,
  pool: Pool,
  source: string,
  target: string,
  mode: string,
  depth: number,
): Promise<void> {
  const { signal } = copy;
  try {
    if (depth > MAX_DEPTH) throw new CliError('too many nested directories');
    const entries = await copy.from.list(source, { signal });
    // The owner needs write permission to fill it.
    const made = await copy.files.makeDirectory(target, { mode: bits(mode) | 0o700, signal });
    const links = made.created ? new Set<string>() : await linksIn(copy, target);
    const names = new Set<string>();
    for (const entry of entries) {
      const from = below(source, entry.name);
      if (names.has(entry.name)) {
        await skip(copy, JSON.stringify(from), 'listed twice');
        continue;
      }
      names.add(entry.name);
      if (!isSafeName(entry.name, 'linux')) {
        await skip(copy, JSON.stringify(from), 'unsafe file name');
        continue;
      }
      const to = below(target, entry.name);
      const isLink = links.has(entry.name);
      if (entry.type === 'directory' && isLink) {
        await failed(copy, from, new CliError(`${to} is a link in the target; remove it first`));
      } else if (entry.type === 'directory') {
        await sendDirectory(copy, pool, from, to, entry.mode, depth + 1);
      } else if (entry.type === 'file') {
        // A file takes the place of a link, and does not follow it.
        if (isLink) await copy.files.remove(to, { signal });
        await pool.add(() => sendFile(copy, from, to, entry.mode));
      } else if (entry.type === 'link') await sendLink(copy, from, to, entry, depth);
      else await skip(copy, from, 'not a file, directory or symbolic link');
    }
  } catch (error) {
    await failed(copy, source, error);
  }
}

/** Names of the links in a directory of the target. */
async function linksIn({ files, signal }: Transfer, directory: string): Promise<Set<string>> {
  const entries = await files.list(directory, { signal });
  return new Set(entries.filter(({ type }) => type === 'link').map(({ name }) => name));
}

async function sendFile(copy: Transfer, source: string, target: string, mode: string) {
  const { signal } = copy;
  try {
    const file = await copy.from.open(source, { signal });
    copy.meter.begin(source, file.size);
    const body = pipeline(file, copy.meter.counter(), () => undefined);
    await copy.files.write(target, body, { mode: bits(mode), size: file.size, signal });
  } catch (error) {
    await failed(copy, source, error);
  }
}

/** Copies a link if it stays within the copied directory; others are unsafe. */
async function sendLink(
  copy: Transfer,
  source: string,
  target: string,
  { target: linkTarget = '' }: files.FileEntry,
  depth: number,
): Promise<void> {
  if (!isSafeLink(linkTarget, depth, 'linux')) {
    const why = `links to ${JSON.stringify(linkTarget)}, outside the copied directory`;
    return skip(copy, source, why);
  }
  try {
    await copy.files.makeLink(target, linkTarget, { signal: copy.signal });
  } catch (error) {
    await failed(copy, source, error);
  }
}

/** Permission bits of an octal mode. */
function bits(mode: string): number {
  return Number.parseInt(mode, 8) & 0o777;
}
