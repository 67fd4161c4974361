import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import { packageRoot } from '../../lib/package-root.js';
import { etagOf, isKnown } from '../http/conditional/etag.js';
import { addPolicy } from '../viewer/page-headers.js';

/**
 * Addresses of the web page, which finds its way by them itself: each answers the same document.
 * Listed, because other paths answer 401 without a key, and a browser the document with status 404.
 */
export const PAGE_PATHS = [
  '/',
  '/login',
  '/projects',
  '/projects/:project',
  '/keys',
  '/wall',
  '/computers',
  '/computers/:id',
  '/computers/:id/:tab',
  '/activity',
  '/streams',
  '/webhooks',
  '/images',
  '/volumes',
  '/runs',
  '/usage',
  '/hosts',
] as const;

/** A terminal is a document of its own: the terminal's library adds style elements. */
const TERMINAL_PATH = '/terminal/:id';

/** Scripts, styles and icons of the page. */
const ASSET_PATHS = '/assets/*';

/** Every path of the web page, relative to the host. */
export const DASHBOARD_PATHS = [...PAGE_PATHS, TERMINAL_PATH, ASSET_PATHS] as const;

/** The encodings that the build prepares, the smallest first, and the ending of their files. */
const ENCODINGS = { br: '.br', gzip: '.gz' } as const;
type Encoding = keyof typeof ENCODINGS;

/** A file of the page in every encoding that there is of it. */
interface PageFile {
  readonly type: string;
  readonly data: Buffer;
  readonly encoded: Partial<Record<Encoding, Buffer>>;
  /** In base64, the SHA-256 of the inline script of a document. */
  readonly script?: string | undefined;
  /** Its name contains a hash of its content, so it never changes. */
  readonly immutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
const SCRIPT = /<script>(.*?)<\/script>/s;
const HASHED = /-[\w-]{8,}\.\w+$/;

/**
 * The files of the page by their path in its directory, kept in memory: each answer that a client does
 * not read has the same bytes. Only these files are ever read, whatever the path. None if the page was
 * not built.
 */
function readPageFiles(directory: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  if (!existsSync(directory)) return files;
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(join(directory, '/').length);
    const encoded: PageFile['encoded'] = Object.fromEntries(
      Object.entries(ENCODINGS)
        .filter(([, ending]) => existsSync(`${file}${ending}`))
        .map(([encoding, ending]) => [encoding, readFileSync(`${file}${ending}`)]),
    );
    const data = readFileSync(file);
    const [, script] = (type.startsWith('text/html') && SCRIPT.exec(data.toString())) || [];
    files.set(path, {
      ...{ type, data, encoded, immutable: HASHED.test(path) },
      script: script && createHash('sha256').update(script).digest('base64'),
    });
  }
  return files;
}

/** The smallest form of a file that an Accept-Encoding header allows; undefined for the file itself. */
function encodingFor(file: PageFile, accept: string | undefined): Encoding | undefined {
  const accepted = new Map(
    (accept ?? '').split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
      return [name, !parameters.some((one) => /^q=0(\.0*)?$/.test(one))] as const;
    }),
  );
  return (Object.keys(ENCODINGS) as Encoding[]).find(
    (name) => accepted.get(name) === true && file.encoded[name] !== undefined,
  );
}

/** Where `npm run build` leaves the page. */
const BUILT = fileURLToPath(new URL('dist/dashboard/', packageRoot));

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
];
/**
 * The terminal's library adds style elements; its document shows nothing else. The page of a computer
 * frames it.
 */
const TERMINAL_POLICY = POLICY.map((directive) => {
  if (directive === "style-src 'self'") return "style-src 'self' 'unsafe-inline'";
  return directive === "frame-ancestors 'none'" ? "frame-ancestors 'self'" : directive;
});
/** The policy with one inline script, that of the document. */
const allowing = (script: string, policy: readonly string[]) =>
  policy.map((directive) =>
    directive === "script-src 'self'" ? `${directive} 'sha256-${script}'` : directive,
  );
const MONTHS = 'public, max-age=31536000, immutable';

/**
 * The web page of the service and the files that it loads, below the host itself. They are the same for
 * everyone and hold no secret, so they need no key; what the page then shows needs a session.
 */
export function addDashboard(app: FastifyInstance, directory = BUILT): Unknown {
  const options = { config: { open: true } };
  const files = readPageFiles(directory);
  const page = (name: string, policy: readonly string[]) => {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const file = files.get(name);
      if (file === undefined) throw notBuilt();
      addPolicy(reply, file.script === undefined ? policy : allowing(file.script, policy));
      return send(file, request, reply);
    };
  };
  for (const path of PAGE_PATHS) app.get(path, options, page('index.html', POLICY));
  app.get(TERMINAL_PATH, options, page('terminal.html', TERMINAL_POLICY));
  app.get(ASSET_PATHS, options, async (request, reply) => {
    const path = (request.params as Record<string, string>)['*'] ?? '';
    const file = files.get(`assets/${path}`);
    if (file === undefined) throw new ApiError('not_found', 'The web page has no such file.');
    // Of the headers of a page, those that matter for a file: each byte counts on a slow line.
    reply
      .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
      .header('cross-origin-resource-policy', 'same-origin');
    return send(file, request, reply);
  });
  return (request, reply) => {
    const target = movedTo(request.url);
    if (target !== undefined) return reply.redirect(target);
    return page('index.html', POLICY)(request, reply.status(404));
  };
}

/** Answers a browser that asks for a path which does not exist. */
type Unknown = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply> | FastifyReply;

/** What people type, and where it leads. */
const MOVED: Readonly<Record<string, string>> = {
  '/api': '/api/docs',
  '/api/': '/api/docs',
  '/dashboard': '/',
};

/**
 * Whether a person in a browser asks for a path that does not exist. Programs get an error in JSON, and
 * so does everyone below /api, where nobody learns without a key which paths exist.
 */
export function isLostBrowser({ is404, method, headers, server, url }: FastifyRequest): boolean {
  const isOfApi = server.prefix !== '' && movedTo(url) === undefined;
  return is404 && method === 'GET' && !isOfApi && /\btext\/html\b/.test(headers.accept ?? '');
}

const movedTo = (url: string) => MOVED[url.split('?')[0] ?? ''];

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
