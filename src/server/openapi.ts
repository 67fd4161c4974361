import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../contract/openapi/document.js';
import { baseUrl } from './http/absolute-urls.js';
import { sendStream } from './http/streaming.js';
import { ByteStream } from './requests.js';

/** Serves the description of the interface at `GET /openapi.json`. */
export function addOpenApi(app: FastifyInstance, version: string): void {
  let document: Buffer | undefined;
  app.get('/openapi.json', async (request, reply) => {
    // It needs no key: what all answers have in common is in memory once.
    document ??= Buffer.from(JSON.stringify(openApiDocument(version)).slice(0, -1));
    const servers = [{ url: baseUrl(request), description: 'This service.' }];
    const rest = Buffer.from(`,"servers":${JSON.stringify(servers)}}`);
    reply.header('content-length', document.length + rest.length);
    const data = Readable.from([document, rest], { objectMode: false });
    return sendStream(reply, new ByteStream(data, 'application/json; charset=utf-8'));
  });
}
