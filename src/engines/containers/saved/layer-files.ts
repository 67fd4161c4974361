import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { canAccess } from '../../../lib/fs/access.js';
import { isRemote } from '../client.js';

const run = promisify(execFile);

/** In English, since messages are looked at. */
const ENVIRONMENT = { ...process.env, LC_ALL: 'C' };
/** Keeps numeric owners and all attributes; records of 256 KiB. */
const TAR = ['--numeric-owner', '--xattrs', '--xattrs-include=*', '--blocking-factor=512'];

/**
 * The directory with the files that a container has changed, with overlayfs. Undefined if this process
 * cannot use it: without root, on another host, or with another storage driver.
 */
export async function changedFiles(
  docker: Docker,
  { GraphDriver }: Docker.ContainerInspectInfo,
): Promise<string | undefined> {
  if (isRemote(docker) || process.platform !== 'linux' || process.getuid?.() !== 0)
    return undefined;
  const { UpperDir } = (GraphDriver?.Data ?? {}) as { readonly UpperDir?: string };
  return UpperDir && (await canAccess(UpperDir)) ? UpperDir : undefined;
}

/**
 * Copies files with owners, whiteouts and attributes, following no link. Nothing may change them
 * meanwhile: no process of the container runs.
 */
export async function copyFiles(from: string, to: string, signal: AbortSignal): Promise<void> {
  const argv = ['--archive', '--reflink=auto', '--no-target-directory', '--', from, to];
  await run('cp', argv, { signal, killSignal: 'SIGKILL', env: ENVIRONMENT });
}

export interface FilesMeasure {
  /** Of the files, holes included: an image's layer has none. */
  readonly bytes: number;
  readonly ids: ReadonlySet<number>;
}

/** Measures files, some of which may be removed meanwhile. */
export async function measureFiles(directory: string, signal: AbortSignal): Promise<FilesMeasure> {
  const argv = [directory, '-printf', '%y %s %n %i %U %G\\n'];
  const child = spawn('find', argv, { stdio: ['ignore', 'pipe', 'ignore'], signal });
  const ended = once(child, 'close');
  ended.catch(() => undefined);
  const ids = new Set<number>();
  const linked = new Set<string>();
  let bytes = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [type, size, links, inode = '', uid, gid] = line.split(' ');
    ids.add(Number(uid)).add(Number(gid));
    if (type !== 'f' || (links !== '1' && linked.has(inode))) continue;
    if (links !== '1') linked.add(inode);
    bytes += Number(size);
  }
  await ended;
  return { bytes, ids };
}

export interface OwnerShift {
  /** Host ids from `first` on become those from 0 on. */
  readonly first: number;
  readonly count: number;
  /** The ids that files have. */
  readonly ids: ReadonlySet<number>;
  /** A file for the map of ids. */
  readonly map: string;
}

/** Copies files with other owners, and with all that a change of an owner would take from them. */
export async function copyShifted(
  from: string,
  to: string,
  { first, count, ids, map }: OwnerShift,
  signal: AbortSignal,
): Promise<void> {
  const shifted = [...ids].filter((id) => id >= first && id < first + count);
  await writeFile(map, shifted.map((id) => `+${id} id:${id - first}\n`).join(''), { mode: 0o600 });
  const maps = [`--owner-map=${map}`, `--group-map=${map}`];
  const packing = spawn('tar', ['--create', '--sparse', ...TAR, ...maps, '-C', from, '.'], {
    ...{ signal, killSignal: 'SIGKILL', env: ENVIRONMENT },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const unpacking = unpack(to, packing.stdout, signal);
  packing.stdout.destroy();
  await allEnded([endOf(unpacking), endOf(packing)]);
}

/** Unpacks an archive, with owners, where no process of a container has been yet. */
export async function unpackFiles(
  archive: Iterable<Buffer>,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  const unpacking = unpack(to, 'pipe', signal);
  const written = pipeline(Readable.from(archive), unpacking.stdin as Writable);
  await allEnded([endOf(unpacking), written]);
}

function unpack(to: string, input: 'pipe' | Readable, signal: AbortSignal) {
  return spawn('tar', ['--extract', '--preserve-permissions', ...TAR, '-C', to], {
    ...{ signal, killSignal: 'SIGKILL', env: ENVIRONMENT },
    stdio: [input, 'ignore', 'pipe'],
  });
}

/** Rejects with the first of the failures, in order. */
async function allEnded(ends: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(ends)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Rejects with what the program has printed if it fails. */
async function endOf(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-2_000);
  });
  const [code] = await ended;
  if (code !== 0) throw new Error(`tar has failed: ${output.trim()}`);
}
