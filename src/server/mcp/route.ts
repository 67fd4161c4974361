import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../contract/errors.js';
import { endpoints } from '../../contract/operations.js';
import { queryFlag } from '../../contract/primitives.js';
import { AllowedSecrets } from '../../contract/resources/secrets.js';
import { excessOf } from '../../mcp/checked-messages.js';
import { TOOLSET_NAMES } from '../../mcp/toolsets.js';
import { sendError } from '../http/errors.js';
import { validateExactly } from '../http/input/read-input.js';
import { limitReading } from '../http/slow-clients.js';
import { departure } from '../requests.js';
import { ownService } from './service.js';

const error = `must be one or several of ${TOOLSET_NAMES.join(', ')}, separated by commas`;

/** `?toolset=screen,commands&read_only=1&secret=SHOP_PASSWORD` of the address of the server. */
const QUERY = z.object({
  toolset: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(TOOLSET_NAMES, { error })))
    .optional(),
  read_only: queryFlag('0'),
  secret: z
    .string()
    .transform((text) => text.split(','))
    .pipe(AllowedSecrets)
    .optional(),
});

/** Headers of the client that the protocol reads. */
const PROTOCOL_HEADERS = /^(accept|content-type|mcp-[a-z-]+)$/;
/** Headers of its answer. The second keeps a proxy from collecting a stream. */
const ANSWERED = ['content-type', 'x-accel-buffering'];

/**
 * `POST /mcp`: the tools over Streamable HTTP, without a session. A client that opens a stream of
 * events with GET gets 405, as the protocol allows.
 */
export function addMcp(app: FastifyInstance, version: string): void {
  const options = { config: { access: endpoints.mcp.access }, errorHandler: refuse };
  app.post(endpoints.mcp.paths[0], options, (request, reply) =>
    answer(app, version, request, reply),
  );
}

/** Codes of JSON-RPC for a body that is not valid JSON, and for one that is refused unread. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
/** Statuses of errors in what a client has sent. */
const MALFORMED: readonly number[] = [400, 413, 415];

/** Answers a body that cannot be read in the form of the protocol, and other errors as elsewhere. */
function refuse(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendError(error, request, reply, (body) => {
    if (!MALFORMED.includes(reply.statusCode)) return body;
    const { error: message } = JSON.parse(body) as { readonly error: string };
    // An error of the framework with 400 is that of its JSON parser.
    const isSyntax = reply.statusCode === 400 && !(error instanceof ApiError);
    const code = isSyntax ? PARSE_ERROR : INVALID_REQUEST;
    return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });
  });
}

async function answer(
  app: FastifyInstance,
  version: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { toolset, read_only: readOnly, secret } = validateExactly(QUERY, request.query, 'query');
  // Loaded at the first use: the package takes a while.
  const { createMcpHandler } = await import('@modelcontextprotocol/server');
  const { createMcpServer } = await import('../../mcp/server.js');
  const body = request.body ?? null;
  const excess = excessOf(body);
  if (excess !== undefined) throw new ApiError('invalid_request', excess);
  const left = departure(request);
  const service = ownService(app, request, left);
  const options = {
    service,
    version,
    readOnly,
    ...(toolset && { toolsets: toolset }),
    ...(secret && { secrets: secret }),
  };
  const handler = createMcpHandler(() => createMcpServer(options), {
    maxSubscriptions: 0,
  });
  const headers = Object.entries(request.headers).filter(([name]) => PROTOCOL_HEADERS.test(name));
  const given = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: headers.map(([name, value]) => [name, String(value)] as [string, string]),
    signal: left,
  });
  const close = () => {
    request.departureEnded?.();
    return handler.close();
  };
  try {
    const answered = await handler.fetch(given, { parsedBody: body });
    reply.status(answered.status);
    for (const name of ANSWERED) {
      const value = answered.headers.get(name);
      if (value !== null) reply.header(name, value);
    }
    return reply.send(Readable.from(messagesOf(answered, reply, close)));
  } catch (error) {
    await close();
    throw error;
  }
}

/** The answer as it comes: messages of progress precede that of the result. */
async function* messagesOf(
  { body }: Response,
  reply: FastifyReply,
  close: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  try {
    if (body !== null) yield* body as ReadableStream<Uint8Array>;
    limitReading(reply);
  } finally {
    await close();
  }
}
