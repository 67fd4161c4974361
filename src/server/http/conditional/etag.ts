import { createHash } from 'node:crypto';

/** An answer with a validator: a client that has it already gets 304 instead. */
export class Tagged {
  readonly answer: unknown;
  readonly etag: string;
  /** Further headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(answer: unknown, etag: string, headers?: Tagged['headers'] | '') {
    this.answer = answer;
    this.etag = etag;
    this.headers = headers || {};
  }
}

const hashes = new WeakMap<Buffer, string>();

/** The strong ETag of bytes, which are hashed once. `form` tells representations of them apart. */
export function etagOf(data: Buffer, form: string): string {
  const hash = hashes.get(data) ?? createHash('sha256').update(data).digest('base64url');
  hashes.set(data, hash);
  return `"${hash.slice(0, 27)}-${form}"`;
}

/** Whether `If-None-Match` names the ETag; the comparison is weak (RFC 9110, 13.1.2). */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.split(',').some((tag) => opaque(tag) === opaque(etag));
}
