import type { IncomingHttpHeaders } from 'node:http';

/** Bytes from `start` on, up to and without `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

interface FileFacts {
  /** In bytes; undefined if it is not known. */
  readonly size: number | undefined;
  /** Time of the last change, in seconds since the epoch. */
  readonly mtime: number;
}

/** A file may change twice in one second, the unit of its time. */
const RECENT_MS = 2_000;

/**
 * The ETag of a file: strong, unless it was changed so recently that another change would not show
 * (RFC 9110, 8.8.1).
 */
export function fileEtag({ size = 0, mtime }: FileFacts, now = Date.now()): string {
  const tag = `"${mtime.toString(36)}-${size.toString(36)}"`;
  return isRecent(mtime, now) ? `W/${tag}` : tag;
}

function isRecent(mtime: number, now: number): boolean {
  // The clock of the computer may be ahead.
  return mtime * 1000 > now - RECENT_MS;
}

/**
 * The part of the file that `Range` asks for; undefined for the whole file, `none` if there is no
 * such part. One range of bytes is supported; any other header is ignored (RFC 9110, 14.2), and so is
 * one whose `If-Range` is not the file as it is.
 */
export function requestedRange(
  headers: IncomingHttpHeaders,
  file: FileFacts,
  now = Date.now(),
): ByteRange | 'none' | undefined {
  const { size } = file;
  const [, first = '', last = ''] =
    /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(headers.range ?? '') ?? [];
  if (size === undefined || (first === '' && last === '')) return undefined;
  if (first !== '' && last !== '' && Number(first) > Number(last)) return undefined;
  if (!isUnchanged(headers['if-range'], file, now)) return undefined;
  if (first === '') {
    const start = Math.max(0, size - Number(last));
    return start < size ? { start, end: size } : 'none';
  }
  const start = Number(first);
  if (start >= size) return 'none';
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1) };
}

/** `If-Range` is compared strongly: an ETag, or the time of the last change. */
function isUnchanged(header: unknown, file: FileFacts, now: number): boolean {
  if (header === undefined) return true;
  if (typeof header !== 'string' || isRecent(file.mtime, now)) return false;
  return header === fileEtag(file, now) || header === httpDate(file.mtime);
}

/** A time in seconds since the epoch as HTTP writes it. */
export function httpDate(mtime: number): string {
  return new Date(mtime * 1000).toUTCString();
}
