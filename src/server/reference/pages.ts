import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../../contract/openapi/document.js';
import { packageRoot } from '../../lib/package-root.js';
import { baseUrl } from '../http/absolute-urls.js';
import { addPageHeaders } from '../viewer/page-headers.js';
import { renderReference } from './render.js';

/** What the page loads. They are not compiled. */
const FILES = {
  'reference.css': 'text/css; charset=utf-8',
  'reference.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

/** Paths of the page and what it loads. */
export const REFERENCE_PATHS = ['/docs', ...Object.keys(FILES).map((name) => `/docs/${name}`)];

/** The reference of the interface for people, at `GET /docs`: the OpenAPI document as a page. */
export function addReference(app: FastifyInstance, version: string): void {
  const options = { config: { open: true } };

  app.get('/docs', options, async (request, reply) => {
    addPageHeaders(reply, ["img-src 'self'"]);
    const page = renderReference(openApiDocument(version, baseUrl(request)));
    return reply.type('text/html; charset=utf-8').send(page);
  });

  for (const [name, type] of Object.entries(FILES)) {
    const file = fileURLToPath(new URL(`src/dashboard/reference/${name}`, packageRoot));
    app.get(`/docs/${name}`, options, async (_request, reply) => {
      addPageHeaders(reply, []);
      return reply.type(type).send(await readFile(file));
    });
  }
}
