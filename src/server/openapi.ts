import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../contract/openapi/document.js';
import { sharedText } from './reference/shared-text.js';

/** Serves the description of the interface at `GET /openapi.json`. */
export function addOpenApi(app: FastifyInstance, version: string): void {
  const send = sharedText('application/json; charset=utf-8', (url) => {
    const servers = [{ url, description: 'This service.' }];
    return JSON.stringify({ ...openApiDocument(version), servers });
  });
  app.get('/openapi.json', async (request, reply) => send(request, reply));
}
