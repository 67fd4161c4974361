import { STATUS_CODES } from 'node:http';
import { errorFromFailure } from '../../client/http/failures.js';
import type { HttpResponse } from '../../client/http/transport.js';
import { printable } from '../../lib/text/printable.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { write } from '../framework/io.js';

/** The media type of an answer without its parameters. */
export function mediaType({ headers }: HttpResponse): string {
  return String(headers['content-type'] ?? '')
    .replace(/;.*$/, '')
    .trim()
    .toLowerCase();
}

/** Prints the status line and the headers. */
export async function printHead({ io }: Context, answer: HttpResponse): Promise<void> {
  const { statusCode, headers } = answer;
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}`),
  );
  const head = [`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trimEnd(), ...lines];
  const shown = io.stdout.isTTY ? head.map(printable) : head;
  await write(io.stdout, `${shown.join('\n')}\n\n`);
}

/** Streams a body that is not JSON. Throws UsageError for one that is not text, on a terminal. */
export async function printBody(
  { io }: Context,
  answer: HttpResponse,
  baseUrl: string,
): Promise<void> {
  const { stdout } = io;
  const type = mediaType(answer);
  if (stdout.isTTY && !type.startsWith('text/')) {
    answer.body.destroy();
    throw new UsageError(
      `cannot print ${type || 'an answer without a type'} on this terminal`,
      'send it to a file: > FILE',
    );
  }
  const decoder = new TextDecoder();
  for await (const bytes of chunks(answer, baseUrl)) {
    if (!stdout.isTTY) await write(stdout, bytes);
    else {
      const text = decoder.decode(bytes, { stream: true });
      await write(stdout, text.replaceAll(/[^\n\t]+/g, printable));
    }
  }
}

/** The body in pieces. Throws the client's own errors. */
async function* chunks({ body }: HttpResponse, baseUrl: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield Buffer.from(chunk);
  } catch (failure) {
    throw errorFromFailure(failure, baseUrl);
  }
}

/** Lists that are read in pages: the entries before the last one of the page before. */
const PAGED = /^\/(.+\/)?(actions|audit)$/;

/** Throws UsageError unless the path is a list with pages. */
export function checkPaged(method: string, path: string): void {
  const [route = ''] = path.split('?');
  if (method === 'GET' && PAGED.test(route)) return;
  throw new UsageError(`--paginate: ${method} ${route} has no pages`, 'only audit logs have pages');
}

/** The most that all audit logs of a service have. */
const MOST_ENTRIES = 1_000_000;

type Page = Readonly<Record<string, unknown>>;

/** Reads every page with `read` and puts their lists together. */
export async function readPages(
  path: string,
  read: (path: string) => Promise<unknown>,
): Promise<Page> {
  const [route = '', query = ''] = path.split('?');
  const search = new URLSearchParams(query);
  const all: unknown[] = [];
  for (;;) {
    const page = (await read(`${route}?${search}`)) as Page;
    const [name = '', list] = Object.entries(page).find(([, value]) => Array.isArray(value)) ?? [];
    const entries = Array.isArray(list) ? list : [];
    for (const entry of entries) all.push(entry);
    if (all.length > MOST_ENTRIES) {
      throw new CliError(`The pages of ${route} have more than ${MOST_ENTRIES} entries.`);
    }
    const last: unknown = entries.at(-1)?.id;
    if (last === undefined || String(last) === search.get('before')) return { [name]: all };
    search.set('before', String(last));
  }
}
