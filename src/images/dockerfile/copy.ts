import { posix } from 'node:path';
import { tarEntries } from '../../lib/tar/read.js';
import { type TarContent, writeTar } from '../../lib/tar/write.js';
import { findOwner, type Owner, runOwn, runScript } from './commands.js';
import {
  type BuildContext,
  type ContextMatch,
  type ContextNode,
  digestOf,
  sorted,
} from './context.js';
import { isPattern } from './glob.js';
import type { BuildMachine } from './machine.js';
import type { Action } from './steps.js';

type Copy = Extract<Action, { kind: 'copy' }>;

const ROOT: Owner = { uid: 0, gid: 0 };

/** The files of the context that a COPY names. Throws an Error without a place if one is missing. */
export function findSources(context: BuildContext, copy: Copy): ContextMatch[] {
  return copy.sources.flatMap((source) => {
    const found = context.find(source);
    if (found.length > 0) return found;
    const why = `${source} is not in the context, or .dockerignore leaves it out`;
    throw new Error(why);
  });
}

/** For a step's key: what it copies from the context. */
export function copyDigest(context: BuildContext, copy: Copy): string {
  return digestOf(findSources(context, copy));
}

/** Copies files of the context, and here-documents. */
export async function copyFromContext(
  machine: BuildMachine,
  copy: Copy,
  context: BuildContext,
  signal: AbortSignal,
): Promise<void> {
  const matches = findSources(context, copy);
  const owner = copy.owner === undefined ? ROOT : await findOwner(machine, copy.owner, signal);
  const compressions = await Promise.all(
    matches.map(({ node }) => (copy.unpacks ? compressionOf(context, node) : undefined)),
  );
  const plain = matches.filter((_, index) => compressions[index] === undefined);
  const isFile =
    matches.length + copy.files.length === 1 && plain.every(({ node }) => node.kind === 'file');
  const isArchive = matches.length > plain.length;
  const to = await destination(machine, copy, isFile && !isArchive, signal);
  const entries = function* (): Generator<TarContent> {
    yield* directories(to.directory, owner);
    for (const { name, content } of copy.files) {
      const bytes = Buffer.from(content);
      const path = `${to.directory}${to.name ?? name}`;
      const entry = {
        name: path,
        kind: 'file',
        mode: 0o644,
        ...owner,
        size: bytes.length,
      } as const;
      yield withMode({ ...entry, content: [bytes] }, copy);
    }
    for (const { name, node } of plain) {
      const path = node.kind === 'directory' ? to.directory : `${to.directory}${to.name ?? name}`;
      yield* nodeEntries(context, node, path, owner, copy);
    }
  };
  await machine.put(writeTar(entries()), signal);
  for (const [index, { node }] of matches.entries()) {
    const compression = compressions[index];
    if (compression === undefined) continue;
    const argv = ['tar', '-x', '-p', '--numeric-owner', ...compression, '-f', '-'];
    const options = { input: context.content(node), signal };
    const result = await runOwn(machine, [...argv, '-C', `./${to.directory}`], options);
    if (result.code !== 0) throw new Error(`the archive cannot be unpacked: ${result.problem}`);
  }
}

/** Copies files of another stage or image, which runs as `source`. */
export async function copyFromMachine(
  machine: BuildMachine,
  copy: Copy,
  source: BuildMachine,
  signal: AbortSignal,
): Promise<void> {
  const found = await listSources(source, copy.sources, signal);
  const only = found.length === 1 && !found[0]?.isDirectory;
  const to = await destination(machine, copy, only, signal);
  const ownerOf = await ownersBetween(machine, source, copy, signal);
  const entries = async function* (): AsyncGenerator<TarContent> {
    yield* directories(to.directory, copy.owner === undefined ? ROOT : ownerOf(ROOT));
    for (const { path, isDirectory } of found) {
      const file = `${to.directory}${to.name ?? posix.basename(path)}`;
      for await (const item of tarEntries(source.read(path, signal))) {
        const { kind, uid, gid } = item;
        if (kind === 'other') continue;
        const inside = (name: string) => posix.join(to.directory, name).replace(/^\/+/, '');
        const name = isDirectory ? inside(item.name) : file;
        if (name === '' || name === './') continue;
        const linkName = kind === 'link' ? inside(item.linkName) : item.linkName;
        yield withMode({ ...item, kind, name, linkName, ...ownerOf({ uid, gid }) }, copy);
      }
    }
  };
  await machine.put(writeTar(entries()), signal);
}

interface Destination {
  /** Relative to `/`; empty, or with a slash at its end. */
  readonly directory: string;
  /** That of a single file that is not copied under its own name. */
  readonly name: string | undefined;
}

/** A single file goes to the path itself, unless that is a directory. */
async function destination(
  machine: BuildMachine,
  { to }: Copy,
  isFile: boolean,
  signal: AbortSignal,
): Promise<Destination> {
  const path = to.replace(/^\/+|\/+$/g, '');
  const isDirectory =
    !isFile || path === '' || to.endsWith('/') || (await isDirectoryIn(machine, path, signal));
  if (isDirectory) return { directory: path && `${path}/`, name: undefined };
  const parent = posix.dirname(path);
  return { directory: parent === '.' ? '' : `${parent}/`, name: posix.basename(path) };
}

async function isDirectoryIn(machine: BuildMachine, path: string, signal: AbortSignal) {
  return (await runOwn(machine, ['test', '-d', `./${path}`], { signal })).code === 0;
}

/** A directory and those above it: they are made unless they exist. */
export function* directories(directory: string, owner: Owner): Generator<TarContent> {
  const parts = directory.split('/').filter((part) => part !== '');
  for (const index of parts.keys()) {
    const name = `${parts.slice(0, index + 1).join('/')}/`;
    yield { name, kind: 'directory', mode: 0o755, ...owner };
  }
}

function* nodeEntries(
  context: BuildContext,
  node: ContextNode,
  path: string,
  owner: Owner,
  copy: Copy,
): Generator<TarContent> {
  const { kind, mode, modified, size, linkName, children } = node;
  const common = { kind, mode, modified, ...owner };
  if (kind === 'directory') {
    if (path !== '') yield withMode({ ...common, name: path }, copy);
    for (const [name, child] of sorted(children)) {
      const inside = `${path}${name}${child.kind === 'directory' ? '/' : ''}`;
      yield* nodeEntries(context, child, inside, owner, copy);
    }
  } else {
    const content = kind === 'file' ? context.content(node) : [];
    yield withMode({ ...common, name: path, size, linkName, content }, copy);
  }
}

function withMode(entry: TarContent, { mode }: Copy): TarContent {
  return mode === undefined || entry.kind === 'symlink' ? entry : { ...entry, mode };
}

/** Owners stay as they are in the stage, except that the user of the computer is its user here. */
async function ownersBetween(
  machine: BuildMachine,
  source: BuildMachine,
  copy: Copy,
  signal: AbortSignal,
): Promise<(owner: Owner) => Owner> {
  if (copy.owner !== undefined) {
    const owner = await findOwner(machine, copy.owner, signal);
    return () => owner;
  }
  const [there, here] = await Promise.all(
    [source, machine].map((each) => findOwner(each, '1000:1000', signal)),
  );
  const translate = (id: number, from = 0, to = 0) => (id === from ? to : id);
  return ({ uid, gid }) => ({
    uid: translate(uid, there?.uid, here?.uid),
    gid: translate(gid, there?.gid, here?.gid),
  });
}

/** Prints `d` or `f` and the path of each match, with a zero behind. */
const LIST = `IFS=
for pattern; do
  found=
  for path in $pattern; do
    [ -e "$path" ] || continue
    found=1
    if [ -d "$path" ]; then printf 'd%s\\0' "$path"; else printf 'f%s\\0' "$path"; fi
  done
  [ -n "$found" ] || printf 'm%s\\0' "$pattern"
done`;

async function listSources(machine: BuildMachine, sources: readonly string[], signal: AbortSignal) {
  const patterns = sources.map((source) => `.${posix.normalize(`/${source}`)}`);
  // Characters that only sh gives a meaning to are none in patterns of Dockerfiles.
  const script = patterns.some(isPattern) ? LIST : `set -f\n${LIST}`;
  const listed = (await runScript(machine, script, patterns, { signal })).split('\0');
  return listed
    .filter((line) => line !== '')
    .map((line) => {
      const path = line.slice(2);
      if (line.startsWith('m')) throw new Error(`there is no ${path}`);
      return { path, isDirectory: line.startsWith('d') };
    });
}

const MAGIC: readonly (readonly [bytes: string, offset: number, option: readonly string[]])[] = [
  ['1f8b', 0, ['-z']],
  ['425a68', 0, ['-j']],
  ['fd377a585a00', 0, ['-J']],
  ['28b52ffd', 0, ['--zstd']],
  ['7573746172', 257, []],
];

/** The option of tar for an archive; undefined for other files. */
async function compressionOf(context: BuildContext, node: ContextNode) {
  if (node.kind !== 'file') return undefined;
  for await (const piece of context.content(node)) {
    return MAGIC.find(([bytes, offset]) =>
      piece
        .subarray(offset)
        .subarray(0, bytes.length / 2)
        .equals(Buffer.from(bytes, 'hex')),
    )?.[2];
  }
  return undefined;
}
