import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { Answer, BodyInput, files } from '../contract/index.js';
import { FILE_PATHS } from '../contract/routes.js';
import type { Client } from './client.js';
import { buildPath, type ComputerAddress, computerParameters } from './http/address.js';

/** An open file of a computer. */
export interface RemoteFile {
  /** Its bytes. Destroy the stream unless it is read to its end. */
  readonly stream: Readable;
  /** Size in bytes; undefined for files without one, as in /proc. */
  readonly size: number | undefined;
  /** Permission bits. */
  readonly mode: number | undefined;
}

export interface WriteOptions {
  /** Permission bits; by default those of the existing file, or else the computer's default. */
  readonly mode?: number | undefined;
  /** Length of a stream in bytes. If it has another length, the file is not written. */
  readonly size?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The files of a computer, of any size. Paths start from the home directory unless they begin with
 * `/`. Errors are ServiceErrors that name the path.
 */
export class ComputerFiles {
  readonly #client: Client;
  readonly #params: Record<string, string>;

  constructor(client: Client, address: ComputerAddress) {
    this.#client = client;
    this.#params = computerParameters(address);
  }

  /** Opens a file for reading. */
  async open(path: string, signal?: AbortSignal): Promise<RemoteFile> {
    const { headers, body } = await this.#client.exchange({
      method: 'GET',
      path: buildPath(FILE_PATHS, this.#params),
      query: { path },
      signal,
    });
    const length = headers['content-length'];
    const mode = headers['x-file-mode'];
    return {
      stream: body,
      size: length === undefined ? undefined : Number(length),
      mode: typeof mode === 'string' ? Number.parseInt(mode, 8) : undefined,
    };
  }

  /** A whole file in memory. */
  async read(path: string, signal?: AbortSignal): Promise<Buffer> {
    const { stream } = await this.open(path, signal);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  }

  /** Writes a file; it appears complete or not at all. */
  async write(
    path: string,
    data: Readable | Buffer | string,
    { mode, size, signal }: WriteOptions = {},
  ): Promise<files.FileWritten> {
    const length = size ?? (data instanceof Readable ? undefined : Buffer.byteLength(data));
    const { body } = await this.#client.exchange({
      method: 'PUT',
      path: buildPath(FILE_PATHS, this.#params),
      query: { path, mode: mode?.toString(8) },
      headers: {
        'content-type': 'application/octet-stream',
        ...(length === undefined ? {} : { 'content-length': String(length) }),
      },
      body: typeof data === 'string' ? Buffer.from(data) : data,
      signal,
    });
    return (await json(body)) as files.FileWritten;
  }

  /** The file or directory that a path leads to. */
  entry(path: string, signal?: AbortSignal): Promise<Answer<'getEntry'>> {
    return this.#client.request('getEntry', { params: this.#params, query: { path }, signal });
  }

  async list(path = '.', signal?: AbortSignal): Promise<Answer<'listDirectory'>['entries']> {
    const options = { params: this.#params, query: { path }, signal };
    return (await this.#client.request('listDirectory', options)).entries;
  }

  /** Creates a directory unless it exists; its parent must exist. */
  makeDirectory(
    path: string,
    { mode, signal }: Omit<WriteOptions, 'size'> = {},
  ): Promise<Answer<'makeDirectory'>> {
    const body: BodyInput<'makeDirectory'> = { path, mode: mode?.toString(8) };
    return this.#client.request('makeDirectory', { params: this.#params, body, signal });
  }

  /** Creates a symbolic link; replaces an existing one. */
  makeLink(path: string, target: string, signal?: AbortSignal): Promise<Answer<'makeLink'>> {
    const body = { path, target };
    return this.#client.request('makeLink', { params: this.#params, body, signal });
  }
}
