import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../contract/errors.js';
import { type TarContent, writeTar } from '../../lib/tar/write.js';
import { IgnoreRules, ignoreFiles } from './ignore.js';

/** Most bytes of the files in a context. */
export const MOST_CONTEXT_BYTES = 2 * 1024 ** 3;

export interface PackOptions {
  /** Path of the Dockerfile in the context; its own `.dockerignore` comes before that of the context. */
  readonly dockerfile?: string;
  /** The Dockerfile's text, if it is not a file of the context. */
  readonly text?: string;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  /** Called for sockets, pipes and devices, which are left out. */
  readonly onSkipped?: (path: string) => void;
}

/**
 * The context of a build as a tar archive in pieces: the files of a directory that `.dockerignore` does
 * not leave out, links as links. The Dockerfile and `.dockerignore` come first and are never left out.
 */
export function packContext(
  directory: string,
  options: PackOptions = {},
): AsyncIterable<Uint8Array> {
  return writeTar(entriesOf(directory, options));
}

/** Digest of what a build sees of the context: as in its cache, without times. */
export async function hashContext(directory: string, options: PackOptions = {}): Promise<string> {
  const hash = createHash('sha256');
  for await (const { content = [], modified: _, ...header } of entriesOf(directory, options)) {
    hash.update(`${JSON.stringify(header)}\n`);
    for await (const piece of content) hash.update(piece);
  }
  return hash.digest('hex');
}

async function* entriesOf(directory: string, options: PackOptions): AsyncGenerator<TarContent> {
  const { dockerfile = 'Dockerfile', text, maxBytes = MOST_CONTEXT_BYTES, signal } = options;
  const ignoreFile = await findIgnoreFile(directory, dockerfile);
  const rules = new IgnoreRules(ignoreFile?.text ?? '');
  let left = maxBytes;
  const counted = (entry: TarContent) => {
    signal?.throwIfAborted();
    left -= entry.size ?? 0;
    if (left >= 0) return entry;
    const most = `${Math.floor(maxBytes / 1024 ** 2)} MiB`;
    const remedy = 'leave files out with a .dockerignore';
    throw new ApiError('payload_too_large', `The context has more than ${most}.`, { remedy });
  };
  if (text !== undefined) {
    const bytes = Buffer.from(text);
    yield { name: dockerfile, kind: 'file', mode: 0o644, size: bytes.length, content: [bytes] };
  } else {
    const entry = await readEntry(directory, dockerfile);
    if (entry?.kind !== 'file') {
      const remedy = 'name another one with -f';
      throw new ApiError('invalid_request', `${dockerfile} is not a file.`, { remedy });
    }
    yield counted(entry);
  }
  // The service leaves both out of COPY if they are ignored.
  if (ignoreFile !== undefined) {
    const content = Buffer.from(ignoreFile.text);
    const { path: name } = ignoreFile;
    yield { name, kind: 'file', mode: 0o644, size: content.length, content: [content] };
  }
  for await (const path of walk(directory, '', rules)) {
    if (path === dockerfile || path === ignoreFile?.path) continue;
    const entry = await readEntry(directory, path);
    if (entry !== undefined) yield counted(entry);
    else options.onSkipped?.(path);
  }
}

async function findIgnoreFile(directory: string, dockerfile: string) {
  for (const path of ignoreFiles(dockerfile)) {
    const text = await readFile(join(directory, path), 'utf8').catch(unlessMissing);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

/** Paths in the context, directories before what is in them. */
async function* walk(root: string, folder: string, rules: IgnoreRules): AsyncGenerator<string> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const isIgnored = rules.ignores(path);
    if (!isIgnored) yield path;
    if (entry.isDirectory() && (!isIgnored || rules.mayTakeFrom(path))) {
      yield* walk(root, path, rules);
    }
  }
}

/** Undefined for what is neither a file, a directory nor a link. */
async function readEntry(root: string, path: string): Promise<TarContent | undefined> {
  const full = join(root, path);
  const stats = await lstat(full).catch(unlessMissing);
  if (stats === undefined) throw new ApiError('invalid_request', `There is no ${full}.`);
  const common = { mode: stats.mode & 0o7777, modified: Math.floor(stats.mtimeMs / 1000) };
  if (stats.isDirectory()) return { ...common, name: `${path}/`, kind: 'directory' };
  if (stats.isSymbolicLink()) {
    return { ...common, name: path, kind: 'symlink', linkName: await readlink(full) };
  }
  if (!stats.isFile()) return undefined;
  return { ...common, name: path, kind: 'file', size: stats.size, content: readPieces(full) };
}

async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    yield* file.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 });
  } finally {
    await file.close();
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
