import type { Readable } from 'node:stream';

export type EntryType = 'file' | 'directory' | 'link' | 'other';

/** A file, directory or link as a listing shows it. */
export interface Entry {
  readonly name: string;
  readonly type: EntryType;
  readonly size: number;
  /** Permission bits, 0 to 0o7777. */
  readonly mode: number;
  /** When it was changed, seconds since the epoch. */
  readonly mtime: number;
  /** Where a link leads. */
  readonly target?: string;
}

/** A file that is being read. The stream has `size` bytes, or as many as come if undefined. */
export interface OpenFile extends Omit<Entry, 'size' | 'type' | 'name'> {
  /** Absolute. */
  readonly path: string;
  readonly size: number | undefined;
  readonly stream: Readable;
}

export interface UploadOptions {
  /** Permission bits; by default those of the file that is there, or 0o666 less the umask. */
  readonly mode?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The files of a machine. Paths start from the home directory unless they begin with `/`. Errors
 * name the path: `not_found`, `invalid_request`, `unsupported`, `guest_failed`, `guest_timeout`.
 */
export interface Files {
  /** Opens a regular file and hands it to `use`; it is closed when that has ended. */
  read<T>(path: string, use: (file: OpenFile) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /**
   * Writes what `data` yields beside the target and renames it when it is whole: a cut upload
   * leaves what was there. A link is followed.
   */
  write(
    path: string,
    data: AsyncIterable<Buffer>,
    options?: UploadOptions,
  ): Promise<{ path: string; size: number }>;
  /** What a path leads to. */
  entry(path: string, signal?: AbortSignal): Promise<Entry & { path: string }>;
  list(path: string, signal?: AbortSignal): Promise<{ path: string; entries: Entry[] }>;
  /** Makes a directory; `created` is false when it was there. */
  makeDirectory(path: string, options?: UploadOptions): Promise<{ path: string; created: boolean }>;
  /** Makes a symbolic link, in place of one that is there. */
  makeLink(path: string, target: string, signal?: AbortSignal): Promise<{ path: string }>;
}
