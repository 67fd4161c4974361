import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { access } from '../../contract/access/rights.js';
import { MCP_PATH } from '../../contract/routes.js';
import { MCP_QUERY } from '../../mcp/query.js';
import { validateExactly } from '../http/input/read-input.js';
import { departure } from '../requests.js';
import { ownService } from './service.js';

/** Headers of the client that the protocol reads. */
const PROTOCOL_HEADERS = /^(accept|content-type|mcp-[a-z-]+)$/;

/**
 * `POST /mcp`: the tools over Streamable HTTP, without a session. A client that opens a stream of
 * events with GET gets 405, as the protocol allows.
 */
export function addMcp(app: FastifyInstance, version: string): void {
  app.post(MCP_PATH, { config: { access: access.mcp } }, (request, reply) =>
    answer(app, version, request, reply),
  );
}

async function answer(
  app: FastifyInstance,
  version: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const {
    toolset,
    read_only: readOnly,
    secret,
  } = validateExactly(MCP_QUERY, request.query, 'query');
  // Loaded at the first use: the package takes a while.
  const { createMcpHandler } = await import('@modelcontextprotocol/server');
  const { createMcpServer } = await import('../../mcp/server.js');
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
  const body = request.body ?? null;
  const headers = Object.entries(request.headers).filter(([name]) => PROTOCOL_HEADERS.test(name));
  const given = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: headers.map(([name, value]) => [name, String(value)] as [string, string]),
    body: JSON.stringify(body),
    signal: left,
  });
  try {
    const answered = await handler.fetch(given, { parsedBody: body });
    const type = answered.headers.get('content-type');
    reply.status(answered.status);
    if (type !== null) reply.header('content-type', type);
    return reply.send(Buffer.from(await answered.arrayBuffer()));
  } finally {
    request.departureEnded?.();
    await handler.close();
  }
}
