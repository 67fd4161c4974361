import type { Readable } from 'node:stream';

export type EntryType = 'file' | 'directory' | 'link' | 'other';

/** A file, directory or link in a listing. */
export interface Entry {
  readonly name: string;
  readonly type: EntryType;
  readonly size: number;
  /** Permission bits, 0 to 0o7777. */
  readonly mode: number;
  /** Time of the last change, in seconds since the epoch. */
  readonly mtime: number;
  /** A link's target. */
  readonly target?: string;
}

/** A file opened for reading. The stream has `size` bytes, or an unknown number if undefined. */
export interface OpenFile extends Omit<Entry, 'size' | 'type' | 'name'> {
  /** Absolute. */
  readonly path: string;
  readonly size: number | undefined;
  readonly stream: Readable;
  /** The bytes from `start` up to and without `end`, instead of `stream`; only if `size` is known. */
  part(start: number, end: number): Readable;
}

interface ModeOptions {
  /** Permission bits; by default those of the existing file, or 0o666 without the umask. */
  readonly mode?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface UploadOptions extends ModeOptions {
  /** How many bytes are announced: many take the faster way from the start. */
  readonly expectedBytes?: number | undefined;
}

export interface DirectoryOptions extends ModeOptions {
  /** Also create missing parents. */
  readonly recursive?: boolean | undefined;
}

export interface RemoveOptions {
  /** Also remove a directory that is not empty. */
  readonly recursive?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The files of a machine. Relative paths start from the home directory. Errors name the path:
 * `not_found`, `invalid_request`, `unsupported`, `guest_failed`, `guest_timeout`.
 */
export interface Files {
  /** Opens a regular file for `use`, and closes it afterwards. */
  read<T>(path: string, use: (file: OpenFile) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /**
   * Writes `data` to a temporary file and renames it to the target: a failed upload leaves the
   * existing file unchanged. Follows links.
   */
  write(
    path: string,
    data: AsyncIterable<Buffer>,
    options?: UploadOptions,
  ): Promise<{ path: string; size: number }>;
  /** Describes the file at a path. Follows links. */
  entry(path: string, signal?: AbortSignal): Promise<Entry & { path: string }>;
  list(path: string, signal?: AbortSignal): Promise<{ path: string; entries: Entry[] }>;
  /** Creates a directory; `created` is false if it existed. */
  makeDirectory(
    path: string,
    options?: DirectoryOptions,
  ): Promise<{ path: string; created: boolean }>;
  /** Creates a symbolic link, or replaces one. */
  makeLink(path: string, target: string, signal?: AbortSignal): Promise<{ path: string }>;
  /** Removes a file, link or directory. A link's target stays. */
  remove(path: string, options?: RemoveOptions): Promise<void>;
  /** Renames a file, link or directory; replaces a file. Returns the absolute new path. */
  rename(path: string, newPath: string, signal?: AbortSignal): Promise<{ path: string }>;
}
