import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { baseUrl } from '../http/absolute-urls.js';
import { sendStream } from '../http/streaming.js';
import { ByteStream } from '../requests.js';

/** In place of the base address, which depends on the request. */
const PLACE = 'http://base-address.invalid/api';
/** Base addresses for which the compressed text is kept. A service has one or two. */
const MOST_ADDRESSES = 4;

/**
 * Answers a text that needs no key. It is made once, and all answers share its bytes: otherwise clients
 * could keep the service busy with it, or fill its memory with answers that they do not read.
 */
export function sharedText(type: string, make: (baseUrl: string) => string) {
  let parts: Buffer[] | undefined;
  const compressed = new Map<string, Buffer>();
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    parts ??= make(PLACE)
      .split(PLACE)
      .map((part) => Buffer.from(part));
    const address = baseUrl(request);
    const url = Buffer.from(address);
    reply.header('vary', [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', '));
    if (/\bgzip\b(?!\s*;\s*q=0)/.test(String(request.headers['accept-encoding']))) {
      if (!compressed.has(address)) {
        const [first = Buffer.of(), ...rest] = parts;
        const whole = Buffer.concat([first, ...rest.flatMap((part) => [url, part])]);
        if (compressed.size === MOST_ADDRESSES) compressed.delete([...compressed.keys()][0] ?? '');
        compressed.set(address, gzipSync(whole));
      }
      const data = compressed.get(address) ?? Buffer.of();
      reply.header('content-encoding', 'gzip').header('content-length', data.length);
      return sendStream(reply, new ByteStream(Readable.from([data]), type));
    }
    const pieces = parts
      .flatMap((part, index) => (index === 0 ? [part] : [url, part]))
      .filter(({ length }) => length > 0);
    reply.header(
      'content-length',
      pieces.reduce((sum, { length }) => sum + length, 0),
    );
    const data = Readable.from(pieces, { objectMode: false });
    return sendStream(reply, new ByteStream(data, type));
  };
}
