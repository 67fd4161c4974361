import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../contract/openapi/document.js';
import { baseUrl } from './http/absolute-urls.js';

/** Serves the description of the interface at `GET /openapi.json`. */
export function addOpenApi(app: FastifyInstance, version: string): void {
  let document: ReturnType<typeof openApiDocument> | undefined;
  app.get('/openapi.json', async (request) => {
    document ??= openApiDocument(version);
    return { ...document, servers: [{ url: baseUrl(request), description: 'This service.' }] };
  });
}
