import type { Duplex } from 'node:stream';

// Node.js has an HTTP client, but it takes any number of `1xx` answers and tiny chunks, and what it reads
// comes from a guest: each 64 KiB of these keep the service busy for tens of milliseconds.

/** Longest head and body of an answer, in bytes. */
const MOST_HEAD = 16 << 10;
const MOST_BODY = 64 << 10;
const END = '\r\n\r\n';

/** The head of an answer. What follows it stays in the stream. */
export interface Answer {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Reads the body: as long as its Content-Length says, or to the end. */
  body(): Promise<string>;
}

/** A request without a body; undefined if a part of it cannot be in a request. */
export function requestText(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): string | undefined {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const isPlain =
    /^\/[\x21-\x7e]*$/.test(path) && lines.every((line) => /^[\x20-\x7e]+$/.test(line));
  return isPlain ? [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n') : undefined;
}

/** Reads the head of the first answer. Rejects if that is not HTTP, is too long, or the stream ends. */
export async function readAnswer(stream: Duplex): Promise<Answer> {
  const head = await collect(stream, MOST_HEAD, (bytes, from) => {
    const at = bytes.indexOf(END, Math.max(0, from - END.length + 1));
    return at < 0 ? undefined : at + END.length;
  });
  const [first = '', ...lines] = head.toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) throw new Error('This is no answer over HTTP.');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^\s:]+):[ \t]*(.*)$/.exec(line) ?? [];
    headers.set(name.toLowerCase(), value.trimEnd());
  }
  return { status, headers, body: () => readBody(stream, headers) };
}

async function readBody(stream: Duplex, headers: Answer['headers']): Promise<string> {
  if (headers.has('transfer-encoding')) throw new Error('The answer is in chunks.');
  const given = headers.get('content-length');
  const length = given === undefined ? MOST_BODY : Number(/^\d{1,9}$/.exec(given)?.[0]);
  if (!(length <= MOST_BODY)) throw new Error('The answer is too long.');
  const isEnd = (bytes: Buffer) => (bytes.length >= length ? length : undefined);
  const isOpen = given === undefined;
  return (await collect(stream, MOST_BODY, isEnd, isOpen)).toString();
}

/**
 * Reads bytes until `lengthOf` tells how many there are to take; the others are put back. It is given
 * what has come so far, and from which byte on that is new. Rejects beyond `most`, and at the end of the
 * stream unless `untilEnd`.
 */
function collect(
  stream: Duplex,
  most: number,
  lengthOf: (bytes: Buffer, from: number) => number | undefined,
  untilEnd = false,
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(most);
  let length = 0;
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => {
      stream.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onError);
      stream.pause();
      done();
    };
    const take = (chunk: Buffer) => {
      const from = length;
      const fits = chunk.subarray(0, most - length);
      length += fits.copy(bytes, length);
      const found = lengthOf(bytes.subarray(0, length), from);
      const isTooLong = found === undefined && fits.length < chunk.length;
      if (isTooLong) return settle(() => reject(new Error('The answer is too long.')));
      if (found === undefined) return undefined;
      const rest = chunk.subarray(found - from);
      settle(() => {
        if (rest.length > 0) stream.unshift(rest);
        resolve(bytes.subarray(0, found));
      });
    };
    const onData = (chunk: Buffer) => void take(chunk);
    const onEnd = () =>
      settle(() =>
        untilEnd ? resolve(bytes.subarray(0, length)) : reject(new Error('The answer is cut off.')),
      );
    const onClose = () => settle(() => reject(new Error('The connection was closed.')));
    const onError = (cause: Error) => settle(() => reject(cause));
    if (stream.destroyed) return reject(new Error('The connection was closed.'));
    // An answer without a body needs no further bytes.
    if (lengthOf(bytes.subarray(0, 0), 0) === 0) return resolve(bytes.subarray(0, 0));
    stream.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onError);
    // A reader before it has left it paused.
    stream.resume();
  });
}
