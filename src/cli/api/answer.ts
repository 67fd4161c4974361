import { STATUS_CODES } from 'node:http';
import { errorFromFailure } from '../../client/http/failures.js';
import type { HttpResponse } from '../../client/http/transport.js';
import { printable } from '../../lib/text/printable.js';
import { UsageError } from '../errors/cli-error.js';
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
