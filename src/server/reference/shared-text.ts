import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { baseUrl } from '../http/absolute-urls.js';
import { sendStream } from '../http/streaming.js';
import { ByteStream } from '../requests.js';

/** In place of the base address, which depends on the request. */
const PLACE = 'http://base-address.invalid/api';

/**
 * Answers a text that needs no key. It is made once, and all answers share its bytes: otherwise clients
 * could keep the service busy with it, or fill its memory with answers that they do not read.
 */
export function sharedText(type: string, make: (baseUrl: string) => string) {
  let parts: Buffer[] | undefined;
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    parts ??= make(PLACE)
      .split(PLACE)
      .map((part) => Buffer.from(part));
    const url = Buffer.from(baseUrl(request));
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
