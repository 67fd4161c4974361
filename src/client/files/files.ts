import { routes } from '../../contract/routes.js';
import type { Answer, BodyInput, FileWritten } from '../../contract/types/index.js';
import { type CallOptions, withTimeLimit } from '../calls/time-limit.js';
import type { Client } from '../client.js';
import { ServiceError } from '../errors.js';
import {
  buildPath,
  type ComputerAddress,
  type ComputerParameters,
  computerParameters,
} from '../http/address.js';
import { headerOf } from '../http/failures.js';
import { type Endable, readBytes } from '../http/read-body.js';
import { keepErrors, readLocalFile, writeLocalFile } from '../platform/index.js';
import { type IfChanged, type IfNoneMatch, ifChanged } from '../requests.js';
import { RemoteFile } from './remote-file.js';
import { type FileData, uploadBody } from './upload-body.js';

/** Which bytes of a file to read, as `slice` of an array takes them. */
export interface RangeOptions extends CallOptions {
  /** The first byte, from 0. */
  readonly start?: number | undefined;
  /** The byte after the last one. */
  readonly end?: number | undefined;
}

export interface ModeOptions extends CallOptions {
  /** Permission bits; by default those of the existing file, or else the computer's default. */
  readonly mode?: number | undefined;
}

export interface WriteOptions extends ModeOptions {
  /** Length of a stream in bytes. If it has another length, the file is not written. */
  readonly size?: number | undefined;
}

export interface TransferOptions extends CallOptions {
  /** Called with the bytes that were transferred so far, and with those of the file if it has a size. */
  readonly onProgress?: ((bytes: number, size: number | undefined) => void) | undefined;
}

/**
 * The files of a computer, of any size. Paths start from the home directory unless they begin with
 * `/`. Errors are ServiceErrors that name the path.
 */
export class ComputerFiles {
  readonly #client: Client;
  readonly #params: ComputerParameters;

  constructor(client: Client, address: ComputerAddress) {
    this.#client = client;
    this.#params = computerParameters(address);
  }

  /**
   * Opens a file, or a part of it, for reading; `timeoutMs` is for its beginning. A part beyond the end
   * of the file is empty.
   */
  async open(path: string, { start, end, ...options }: RangeOptions = {}): Promise<RemoteFile> {
    const range = rangeHeader(start, end);
    const request = {
      method: 'GET' as const,
      path: buildPath(routes.readFile.paths, this.#params),
      query: { path },
      ...(range === undefined ? {} : { headers: { range } }),
      ...options,
    } as const;
    if (range === NOTHING) return emptyPart();
    const answer = await this.#client.exchange(request).catch((error: unknown) => {
      const isBeyond = error instanceof ServiceError && error.code === 'range_not_satisfiable';
      if (!isBeyond) throw error;
    });
    if (answer === undefined) return emptyPart();
    const { statusCode, headers, body } = answer;
    if (range !== undefined && statusCode !== 206) {
      // A file without a size, as in /proc, is always answered whole.
      const wanted = Object.assign(part(body, start ?? 0, end), { destroy: () => body.destroy() });
      return new RemoteFile(wanted, undefined, undefined);
    }
    const length = headers['content-length'];
    const mode = headers['x-file-mode'];
    const size = length === undefined ? undefined : Number(length);
    return new RemoteFile(
      body,
      size,
      typeof mode === 'string' ? Number.parseInt(mode, 8) : undefined,
    );
  }

  /** A file, or a part of it, in memory. */
  read(path: string, options?: RangeOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** A whole file with its `etag`, or that it is still the one of `ifNoneMatch`. */
  read(path: string, options: CallOptions & IfNoneMatch): Promise<IfChanged>;
  read(
    path: string,
    { start, end, ifNoneMatch, ...options }: RangeOptions & Partial<IfNoneMatch> = {},
  ): Promise<Uint8Array<ArrayBuffer> | IfChanged> {
    return withTimeLimit(options, this.#client.baseUrl, async (signal) => {
      if (ifNoneMatch !== undefined) return this.#readIfChanged(path, ifNoneMatch, signal);
      return readBytes(await this.open(path, { start, end, signal }));
    });
  }

  /** A file as text, from UTF-8. */
  async readText(path: string, options: RangeOptions = {}): Promise<string> {
    return new TextDecoder().decode(await this.read(path, options));
  }

  /** Writes a file; it appears complete or not at all. Errors of a stream reject as they are. */
  async write(
    path: string,
    data: FileData,
    { mode, size, ...options }: WriteOptions = {},
  ): Promise<FileWritten> {
    const { body, length, failure, end } = uploadBody(data, size);
    try {
      const answer = await this.#client.exchange({
        method: 'PUT',
        path: buildPath(routes.readFile.paths, this.#params),
        query: { path, mode: mode?.toString(8) },
        headers: {
          'content-type': 'application/octet-stream',
          ...(length === undefined ? {} : { 'content-length': String(length) }),
        },
        body,
        ...options,
      });
      return (await this.#client.json(answer)) as FileWritten;
    } catch (error) {
      throw failure() ?? error;
    } finally {
      end();
    }
  }

  /** The file or directory that a path leads to. */
  entry(path: string, options: CallOptions = {}): Promise<Answer<'getEntry'>> {
    return this.#client.request('getEntry', {
      params: this.#params,
      query: { path },
      ...options,
    });
  }

  /** The entries of a directory, by default of the home directory. */
  async list(path = '.', options: CallOptions = {}): Promise<Answer<'listDirectory'>['entries']> {
    const request = { params: this.#params, query: { path }, ...options };
    return (await this.#client.request('listDirectory', request)).entries;
  }

  /** Whether there is a file or directory at the path. Rejects if the computer does not exist. */
  async exists(path: string, options: CallOptions = {}): Promise<boolean> {
    try {
      await this.entry(path, options);
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
    }
    // A missing computer is answered with the same code.
    await this.#client.request('getComputer', { params: this.#params, ...options });
    return false;
  }

  /** Writes a file of this machine to the computer, with its permissions. */
  async upload(
    from: string,
    to: string,
    { onProgress, ...options }: TransferOptions = {},
  ): Promise<FileWritten> {
    const { data, size, mode } = await readLocalFile(from);
    return this.write(to, withProgress(data, size, onProgress), { size, mode, ...options });
  }

  /** Writes a file of the computer to this machine; it appears complete or not at all. */
  async download(
    from: string,
    to: string,
    { onProgress, ...options }: TransferOptions = {},
  ): Promise<void> {
    await withTimeLimit(options, this.#client.baseUrl, async (signal) => {
      const file = await this.open(from, { signal });
      await writeLocalFile(to, withProgress(file, file.size, onProgress), file.mode);
    });
  }

  /** Removes a file, a link or, with `recursive`, a directory and all that is in it. */
  async remove(
    path: string,
    { recursive = false, ...options }: { readonly recursive?: boolean } & CallOptions = {},
  ): Promise<void> {
    const query = { path, recursive };
    await this.#client.request('removeEntry', { params: this.#params, query, ...options });
  }

  /** Renames or moves a file, link or directory; a file with the new path is replaced. */
  rename(path: string, newPath: string, options: CallOptions = {}): Promise<Answer<'renameEntry'>> {
    const body = { path, new_path: newPath };
    return this.#client.request('renameEntry', { params: this.#params, body, ...options });
  }

  /** Creates a directory unless it exists, with `recursive` also its parents. */
  makeDirectory(
    path: string,
    { mode, recursive, ...options }: ModeOptions & { readonly recursive?: boolean } = {},
  ): Promise<Answer<'makeDirectory'>> {
    const body: BodyInput<'makeDirectory'> = { path, mode: mode?.toString(8), recursive };
    return this.#client.request('makeDirectory', {
      params: this.#params,
      body,
      ...options,
    });
  }

  /** Creates a symbolic link; replaces an existing one. */
  makeLink(path: string, target: string, options: CallOptions = {}): Promise<Answer<'makeLink'>> {
    const body = { path, target };
    return this.#client.request('makeLink', { params: this.#params, body, ...options });
  }

  async #readIfChanged(
    path: string,
    asked: string | null,
    signal: AbortSignal | undefined,
  ): Promise<IfChanged> {
    const { statusCode, headers, body } = await this.#client.exchange({
      method: 'GET',
      path: buildPath(routes.readFile.paths, this.#params),
      query: { path },
      signal,
      ...(asked === null ? {} : { headers: { 'if-none-match': asked } }),
    });
    const data = await readBytes(body);
    const etag = headerOf(headers, 'etag');
    return ifChanged({ data, etag, isUnchanged: statusCode === 304 }, asked);
  }
}

/** Reports the progress after each chunk. */
function withProgress(
  chunks: Endable,
  size: number | undefined,
  onProgress: TransferOptions['onProgress'],
): AsyncIterable<Uint8Array> {
  if (onProgress === undefined) return chunks;
  keepErrors(chunks);
  return Object.assign(
    counted(chunks, (bytes) => onProgress(bytes, size)),
    { destroy: () => chunks.destroy?.() },
  );
}

async function* counted(chunks: AsyncIterable<Uint8Array>, tell: (bytes: number) => void) {
  let bytes = 0;
  for await (const chunk of chunks) {
    yield chunk;
    bytes += chunk.length;
    tell(bytes);
  }
}

const NOTHING = 'nothing';

/** The header `Range`; undefined for a whole file. Throws RangeError for a part that is not possible. */
function rangeHeader(start = 0, end?: number): string | undefined {
  for (const position of end === undefined ? [start] : [start, end]) {
    if (Number.isSafeInteger(position) && position >= 0) continue;
    throw new RangeError(`start and end must be whole numbers from 0, not ${position}`);
  }
  if (end !== undefined && end <= start) return NOTHING;
  if (end !== undefined) return `bytes=${start}-${end - 1}`;
  return start === 0 ? undefined : `bytes=${start}-`;
}

/** A part of a file that has no bytes. */
function emptyPart(): RemoteFile {
  return new RemoteFile(part([], 0), 0, undefined);
}

async function* part(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  start: number,
  end = Number.POSITIVE_INFINITY,
) {
  let position = 0;
  for await (const chunk of body) {
    const piece = chunk.subarray(Math.max(0, start - position), Math.max(0, end - position));
    position += chunk.length;
    if (piece.length > 0) yield piece;
    if (position >= end) return;
  }
}
