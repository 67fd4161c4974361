import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../contract/errors.js';
import { TarError, type TarItem, tarEntries } from '../../lib/tar/read.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { Glob, isPattern } from './glob.js';
import { MOST_CONTEXT_BYTES } from './pack.js';

/** A file, directory or link of the context. */
export interface ContextNode {
  readonly kind: 'file' | 'directory' | 'symlink';
  readonly mode: number;
  readonly modified: number;
  /** Of a file. */
  readonly size: number;
  readonly offset: number;
  readonly digest: string;
  /** Of a link. */
  readonly linkName: string;
  /** Of a directory, by name. */
  readonly children: Map<string, ContextNode>;
}

export interface ContextMatch {
  /** Last part of its path; empty for the context itself. */
  readonly name: string;
  readonly node: ContextNode;
}

export interface ReceiveOptions {
  /** Where the bytes are kept until the build ends, in a file without a name. */
  readonly directory: string;
  readonly maxBytes?: number;
  readonly maxEntries?: number;
  readonly signal?: AbortSignal;
}

const MOST_ENTRIES = 200_000;
const MOST_LINKS = 40;

/**
 * The context of a build, received as a tar archive. Nothing of it becomes a file of the host: the bytes
 * are in one unnamed file, names and links are in memory only.
 */
export class BuildContext {
  readonly #file: FileHandle;
  readonly #root: ContextNode = directoryNode();

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Throws ApiError `invalid_request` or `payload_too_large` for an archive that is no context. */
  static async receive(
    source: AsyncIterable<Uint8Array>,
    options: ReceiveOptions,
  ): Promise<BuildContext> {
    const path = join(options.directory, `context-${randomUUID()}`);
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
    const file = await open(path, flags, 0o600);
    try {
      // Nothing is left of it when the service is killed.
      await unlink(path);
      const context = new BuildContext(file);
      await context.#receive(source, options);
      return context;
    } catch (error) {
      await file.close();
      if (!(error instanceof TarError)) throw error;
      const remedy = 'send a tar archive of a directory, not compressed';
      const message = `The context cannot be read: ${error.message}.`;
      throw new ApiError('invalid_request', message, { remedy });
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** The text of a file; undefined if there is none. */
  async text(path: string, mostBytes: number): Promise<string | undefined> {
    const match = this.#findOne(path);
    if (match?.node.kind !== 'file') return undefined;
    if (match.node.size > mostBytes) {
      throw new ApiError('invalid_request', `${path} is larger than ${mostBytes / 1024} KiB.`);
    }
    const pieces: Buffer[] = [];
    for await (const piece of this.content(match.node)) pieces.push(piece);
    return Buffer.concat(pieces).toString('utf8');
  }

  /** Removes a file, so that no COPY finds it. */
  remove(path: string): void {
    const parts = partsOf(path);
    const name = parts.pop() ?? '';
    const parent = parts.reduce<ContextNode | undefined>(
      (node, part) => node?.children.get(part),
      this.#root,
    );
    parent?.children.delete(name);
  }

  async *content({ offset, size }: ContextNode): AsyncGenerator<Buffer> {
    for (let at = 0; at < size; ) {
      const piece = Buffer.alloc(Math.min(256 * 1024, size - at));
      const { bytesRead } = await this.#file.read(piece, 0, piece.length, offset + at);
      if (bytesRead === 0) throw new Error('the context ends early');
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  }

  /**
   * What a path or pattern of COPY names, in order; links on the way and at its end are followed within
   * the context. Throws an Error without a place if one leads out of it.
   */
  find(pattern: string): ContextMatch[] {
    const parts = pattern.split('/').filter((part) => part !== '' && part !== '.');
    if (parts.includes('..')) throw new Error(`${pattern} leads out of the context`);
    let found: { path: readonly string[]; node: ContextNode }[] = [{ path: [], node: this.#root }];
    for (const part of parts) {
      const glob = isPattern(part) ? new Glob(part) : undefined;
      found = found.flatMap(({ path, node }) =>
        [...node.children.keys()]
          .filter((name) => (glob ? glob.matches(name) : name === part))
          .sort()
          .flatMap((name) => this.#resolve([...path, name]) ?? []),
      );
    }
    return found.map(({ path, node }) => ({ name: path.at(-1) ?? '', node }));
  }

  #findOne(path: string): ContextMatch | undefined {
    try {
      return this.find(path)[0];
    } catch (cause) {
      throw new ApiError('invalid_request', `${errorMessage(cause)}.`, { cause });
    }
  }

  async #receive(source: AsyncIterable<Uint8Array>, options: ReceiveOptions): Promise<void> {
    const { maxBytes = MOST_CONTEXT_BYTES, maxEntries = MOST_ENTRIES, signal } = options;
    let end = 0;
    let entries = 0;
    for await (const item of tarEntries(source)) {
      signal?.throwIfAborted();
      entries += 1;
      end += item.kind === 'file' ? item.size : 0;
      if (entries > maxEntries || end > maxBytes) {
        const most = `${maxEntries} files and ${Math.floor(maxBytes / 1024 ** 2)} MiB`;
        const remedy = 'leave files out with a .dockerignore';
        throw new ApiError('payload_too_large', `A context has at most ${most}.`, { remedy });
      }
      const parts = partsOf(item.name);
      if (parts.length > 0) this.#add(parts, await this.#nodeOf(item, end - item.size));
    }
  }

  async #nodeOf(item: TarItem, offset: number): Promise<ContextNode> {
    const { name, kind, mode, modified, size, linkName } = item;
    if (kind === 'directory') return directoryNode(mode, modified);
    if (kind === 'link') {
      const target = partsOf(linkName).reduce<ContextNode | undefined>(
        (node, part) => node?.children.get(part),
        this.#root,
      );
      if (target?.kind === 'file') return target;
      throw refused(
        name,
        `is a hard link to ${JSON.stringify(linkName)}, which is no file before it`,
      );
    }
    const node = { ...directoryNode(mode, modified, NONE), kind: 'symlink', linkName } as const;
    if (kind === 'symlink') return node;
    if (kind === 'other') throw refused(name, 'is neither a file, a directory nor a link');
    const hash = createHash('sha256');
    let at = offset;
    for await (const piece of item.content) {
      hash.update(piece);
      for (let sent = 0; sent < piece.length; ) {
        const { bytesWritten } = await this.#file.write(piece, sent, piece.length - sent, at);
        sent += bytesWritten;
        at += bytesWritten;
      }
    }
    return { ...node, kind: 'file', linkName: '', size, offset, digest: hash.digest('hex') };
  }

  #add(parts: readonly string[], added: ContextNode): void {
    const path = parts.join('/');
    let parent = this.#root;
    for (const part of parts.slice(0, -1)) {
      const child = parent.children.get(part) ?? directoryNode();
      if (child.kind !== 'directory') throw refused(path, 'lies in something that is no directory');
      parent.children.set(part, child);
      parent = child;
    }
    const name = parts.at(-1) ?? '';
    const known = parent.children.get(name);
    const isDirectory = added.kind === 'directory';
    if (known !== undefined && isDirectory !== (known.kind === 'directory')) {
      throw refused(path, 'is there twice, once as a directory');
    }
    const children = known?.children ?? added.children;
    parent.children.set(name, isDirectory ? { ...added, children } : added);
  }

  /** Follows the links in a path. Undefined if it leads to nothing. */
  #resolve(path: readonly string[]): { path: readonly string[]; node: ContextNode } | undefined {
    let left = [...path];
    let done: { readonly name: string; readonly node: ContextNode }[] = [];
    for (let links = 0; left.length > 0; ) {
      const [part = '', ...rest] = left;
      left = rest;
      if (part === '' || part === '.') continue;
      const above = done.at(-1)?.node ?? this.#root;
      if (part === '..') {
        if (done.length === 0) throw new Error(`${path.join('/')} leads out of the context`);
        done = done.slice(0, -1);
        continue;
      }
      const node = above.children.get(part);
      if (node === undefined) return undefined;
      if (node.kind !== 'symlink') {
        done = [...done, { name: part, node }];
        continue;
      }
      links += 1;
      if (links > MOST_LINKS) throw new Error(`${path.join('/')} has links without an end`);
      if (node.linkName.startsWith('/')) {
        throw new Error(`${path.join('/')} leads out of the context, to ${node.linkName}`);
      }
      left = [...node.linkName.split('/'), ...left];
    }
    const node = done.at(-1)?.node ?? this.#root;
    return { path, node };
  }
}

/** SHA-256 over what COPY takes of a match: names, kinds, permissions and contents, not times. */
export function digestOf(matches: readonly ContextMatch[]): string {
  const hash = createHash('sha256');
  const add = (name: string, { kind, mode, digest, linkName, children }: ContextNode) => {
    hash.update(`${JSON.stringify([name, kind, mode, digest, linkName])}\n`);
    for (const [each, child] of sorted(children)) add(`${name}/${each}`, child);
  };
  for (const { name, node } of matches) add(name, node);
  return hash.digest('hex');
}

/** The entries of a directory by name. */
export function sorted(children: ReadonlyMap<string, ContextNode>): [string, ContextNode][] {
  return [...children].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Of all files and links. */
const NONE = new Map<string, ContextNode>();

function directoryNode(
  mode = 0o755,
  modified = 0,
  children: ContextNode['children'] = new Map(),
): ContextNode {
  const file = { size: 0, offset: 0, digest: '', linkName: '' };
  return { kind: 'directory', mode, modified, ...file, children };
}

function partsOf(name: string): string[] {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/')) throw refused(name, 'is an absolute path');
  if (parts.includes('..')) throw refused(name, 'leads out of it');
  if (name.includes('\0') || name.length > 4096 || parts.some((part) => part.length > 255)) {
    throw refused(name.slice(0, 100), 'is not a valid path');
  }
  return parts;
}

function refused(path: string, why: string): ApiError {
  const remedy = 'send a tar archive of a directory, with paths relative to it';
  const message = `The context has the path ${JSON.stringify(path)}, which ${why}.`;
  return new ApiError('invalid_request', message, { remedy });
}
