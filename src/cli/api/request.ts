import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { HttpRequest } from '../../client/http/transport.js';
import { UsageError } from '../errors/cli-error.js';
import { cannotRead } from '../errors/file-errors.js';
import type { Context } from '../framework/context.js';
import { request } from '../targets/client.js';
import { computerAddress } from '../targets/computer-address.js';
import { namedOrOnly } from '../targets/computers.js';
import { projectName } from '../targets/projects.js';

/**
 * Checks a path of the API and writes it as a path below the base URL: `/projects?x=1` of
 * `projects?x=1` and of `/api/projects?x=1`. Nothing but the service gets the key, so a path must not
 * lead anywhere else.
 * @throws UsageError
 */
export function apiPath(text: string, baseUrl: string): string {
  if (/^([a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(text)) {
    throw new UsageError(
      `${JSON.stringify(text)} is an address, not a path`,
      `give a path below ${baseUrl}, such as /projects`,
    );
  }
  if (text === '' || /[^\x21-\x7e]|[\\#"<>^`|]/.test(text)) {
    throw new UsageError(
      `${JSON.stringify(text)} is not a path`,
      'percent-encode spaces and special characters',
    );
  }
  const [path = '', ...query] = text.split('?');
  if (path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) {
    throw new UsageError(`${JSON.stringify(text)} has a segment "." or ".."`);
  }
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');
  const absolute = path.startsWith('/') ? path : `/${path}`;
  const below =
    base !== '' && absolute.startsWith(`${base}/`) ? absolute.slice(base.length) : absolute;
  return [below, ...query].join('?');
}

/**
 * Replaces placeholders: `{project}` by the default project, `{computer}` by the id of the only
 * computer, and any other name in braces by the id of that computer.
 */
export async function fillPlaceholders(context: Context, path: string): Promise<string> {
  const names = [...new Set([...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name))];
  const values = new Map<string, string>();
  for (const name of names) values.set(name, encodeURIComponent(await placeholder(context, name)));
  return path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => values.get(name) ?? '');
}

async function placeholder(context: Context, name: string): Promise<string> {
  if (name === 'project') return projectName(context, undefined);
  const text = name === 'computer' ? await namedOrOnly(context, undefined) : name;
  const address = await computerAddress(context, text);
  if ('id' in address) return address.id;
  const params = { project: address.project, computer: address.name };
  return (await request(context, 'getComputer', { params })).id;
}

/** Headers that vc sets itself. */
const OWN = ['authorization', 'connection', 'content-length', 'host', 'transfer-encoding'];

/** Parses `Name: value`. */
export function header(text: string): readonly [string, string] {
  const [, name = '', value = ''] =
    /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\t]*)$/.exec(text) ?? [];
  if (name === '') throw new UsageError('must be "NAME: VALUE"');
  if (OWN.includes(name.toLowerCase())) {
    throw new UsageError(`${name} is set by vc`, 'to use another key, set VC_API_KEY');
  }
  return [name.toLowerCase(), value.trim()];
}

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
