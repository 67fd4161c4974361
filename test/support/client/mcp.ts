import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { ServiceClient } from '../service/service.js';

const VC = new URL('../../../bin/vc.js', import.meta.url).pathname;

export const MCP_TRANSPORTS = ['stdio', 'http'] as const;
export type McpTransport = (typeof MCP_TRANSPORTS)[number];

/** The last revision but one with `initialize`, and the one without a handshake. */
export const MCP_REVISIONS = ['2025-06-18', '2026-07-28'] as const;
export type McpRevision = (typeof MCP_REVISIONS)[number];

/** Options with which the SDK's client speaks this revision and no other. */
export function speaking(revision: McpRevision): ClientOptions {
  return revision === '2026-07-28'
    ? { versionNegotiation: { mode: { pin: revision } } }
    : { supportedProtocolVersions: [revision] };
}

/** What a client sent over HTTP: the JSON-RPC method, and the revision that the header names. */
export interface Sent {
  readonly method: string;
  readonly revision: string | null;
}

export interface McpOptions {
  readonly transport: McpTransport;
  readonly revision: McpRevision;
  /** Names of secrets that may be typed. */
  readonly secrets?: readonly string[];
}

type Service = Pick<ServiceClient, 'baseUrl' | 'apiKey' | 'env'>;

/** A client of the official SDK, connected to `vc mcp` or to the service, with one revision. */
export async function openMcp(service: Service, options: McpOptions) {
  const { transport, revision, secrets = [] } = options;
  const sent: Sent[] = [];
  const client = new Client({ name: 'test', version: '1.0.0' }, speaking(revision));
  const open = transport === 'stdio' ? stdio(service, secrets) : http(service, secrets, sent);
  await client.connect(open);
  /** Calls a tool; resolves to its error flag, its texts, and the number of its pictures. */
  const call = async (name: string, input: Record<string, unknown>) => {
    const { content, isError = false } = await client.callTool({ name, arguments: input });
    const items = content as { type: string; text?: string }[];
    const text = items.map((item) => item.text ?? '').join('\n');
    return { isError, text, pictures: items.filter(({ type }) => type === 'image').length };
  };
  return { client, sent, call };
}

function stdio({ env }: Service, secrets: readonly string[]): Transport {
  const given = env as Record<string, string>;
  const args = [VC, 'mcp', ...secrets.flatMap((name) => ['--secret', name])];
  return new StdioClientTransport({ command: process.execPath, args, env: given, stderr: 'pipe' });
}

function http({ baseUrl, apiKey }: Service, secrets: readonly string[], sent: Sent[]): Transport {
  const query = secrets.length === 0 ? '' : `?secret=${secrets.join(',')}`;
  return new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp${query}`), {
    requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
    fetch: (url, init) => {
      if (typeof init?.body === 'string') {
        const { method } = JSON.parse(init.body) as { method: string };
        const revision = new Headers(init.headers).get('mcp-protocol-version');
        sent.push({ method, revision });
      }
      return fetch(url, init);
    },
  });
}
