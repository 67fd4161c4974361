import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import { packageRoot } from '../../lib/package-root.js';
import { etagOf, isKnown } from '../http/conditional/etag.js';
import { addPolicy } from '../viewer/page-headers.js';
import { encodingFor, type PageFile, readPageFiles } from './files.js';
import { ASSET_PATHS, PAGE_PATHS, TERMINAL_PATH } from './paths.js';

/** Where `npm run build` leaves the page. */
const BUILT = fileURLToPath(new URL('dist/dashboard/', packageRoot));

const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:"],
  ...["connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"],
];
/** The terminal's library adds style elements; its document shows nothing else. */
const TERMINAL_POLICY = POLICY.map((directive) =>
  directive === "style-src 'self'" ? "style-src 'self' 'unsafe-inline'" : directive,
);
const MONTHS = 'public, max-age=31536000, immutable';

/**
 * The web page of the service and the files that it loads, below the host itself. They are the same for
 * everyone and hold no secret, so they need no key; what the page then shows needs a session.
 */
export function addDashboard(app: FastifyInstance, directory = BUILT): void {
  const options = { config: { open: true } };
  const files = readPageFiles(directory);
  const page = (name: string, policy: readonly string[]) => {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const file = files.get(name);
      if (file === undefined) throw notBuilt();
      addPolicy(reply, policy);
      return send(file, request, reply);
    };
  };
  for (const path of PAGE_PATHS) app.get(path, options, page('index.html', POLICY));
  app.get(TERMINAL_PATH, options, page('terminal.html', TERMINAL_POLICY));
  app.get(ASSET_PATHS, options, async (request, reply) => {
    const path = (request.params as Record<string, string>)['*'] ?? '';
    const file = files.get(`assets/${path}`);
    if (file === undefined) throw new ApiError('not_found', 'The web page has no such file.');
    addPolicy(reply, POLICY);
    return send(file, request, reply);
  });
}

function send(file: PageFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const encoding = encodingFor(file, request.headers['accept-encoding']);
  const data = (encoding && file.encoded[encoding]) ?? file.data;
  const etag = etagOf(data, encoding ?? 'plain');
  reply
    .header('cache-control', file.immutable ? MONTHS : 'no-cache')
    .header('vary', 'accept-encoding')
    .header('etag', etag);
  if (isKnown(request.headers['if-none-match'], etag)) return reply.status(304).send();
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  return reply.type(file.type).send(data);
}

function notBuilt(): ApiError {
  return new ApiError('not_found', 'The web page was not built.', { remedy: 'npm run build' });
}
