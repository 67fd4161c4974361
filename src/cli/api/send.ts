import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { HttpRequest } from '../../client/http/transport.js';
import { cannotRead } from '../errors/file-errors.js';
import type { Context } from '../framework/context.js';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/** A request as the options of `vc api` describe it. */
export interface ApiRequest {
  readonly method: Method;
  /** Path and query below the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: HttpRequest['body'];
}

/** Adds fields to the query of a path. */
export function withQuery(path: string, fields: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => {
      return [name, typeof one === 'object' ? JSON.stringify(one) : String(one)];
    }),
  );
  if (entries.length === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(entries)}`;
}

/** The body of `--input`: a file with its size, or stdin. Throws CliError if it cannot be read. */
export async function inputBody(
  { io, cwd }: Context,
  path: string,
): Promise<{ readonly body: Readable; readonly headers: Record<string, string> }> {
  if (path === '-') return { body: io.stdin, headers: {} };
  const file = resolve(cwd, path);
  const status = await stat(file).catch((cause: unknown) => {
    throw cannotRead(path, cause);
  });
  if (status.isDirectory()) {
    throw cannotRead(path, Object.assign(new Error('is a directory'), { code: 'EISDIR' }));
  }
  const body = createReadStream(file);
  // The error of an unreadable file comes when it is opened.
  await new Promise((done, fail) => {
    body.once('open', done);
    body.once('error', (cause) => fail(cannotRead(path, cause)));
  });
  const headers = status.isFile() ? { 'content-length': String(status.size) } : undefined;
  return { body, headers: headers ?? {} };
}
