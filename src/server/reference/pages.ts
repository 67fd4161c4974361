import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../../contract/openapi/document.js';
import { packageRoot } from '../../lib/package-root.js';
import { readOnce } from '../viewer/assets.js';
import { addPageHeaders } from '../viewer/page-headers.js';
import { renderReference } from './render.js';
import { sharedText } from './shared-text.js';

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
  const read = readOnce();
  const page = sharedText('text/html; charset=utf-8', (url) =>
    renderReference(openApiDocument(version, url)),
  );

  app.get('/docs', options, async (request, reply) => {
    addPageHeaders(reply, ["img-src 'self'"]);
    return page(request, reply);
  });

  for (const [name, type] of Object.entries(FILES)) {
    const file = fileURLToPath(new URL(`src/dashboard/reference/${name}`, packageRoot));
    app.get(`/docs/${name}`, options, async (_request, reply) => {
      addPageHeaders(reply, []);
      return reply.type(type).send(await read(file));
    });
  }
}
