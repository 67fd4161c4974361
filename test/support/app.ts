import { Agent, request, type Server } from 'node:http';
import { connect } from 'node:net';
import { pino } from 'pino';
import { buildApp } from '../../src/server/app.js';
import { Metrics } from '../../src/server/metrics.js';
import type { Shell } from '../../src/shell/types.js';
import { fullShell } from './fake-shell.js';
import { openTestFleet, type TestFleet } from './fleet.js';
import { PROXY_HOST } from './tls/proxy-host.js';

/** The HTTP service with computers in memory, listening on loopback. */
export interface TestApp {
  readonly world: TestFleet;
  readonly port: number;
  readonly server: Server;
  /** Sends a request, with the first owner's key unless `headers` have another or `null`. */
  send(method: string, path: string, options?: Sending): Promise<Answer>;
  /** Sends bytes unchanged; returns the answer's head and body. */
  raw(bytes: string): Promise<string>;
  /** Every route of the framework as `METHOD /path`. */
  routes(): string[];
  /** Closes the service and opens another one on the same state and port. */
  restart(): Promise<TestApp>;
  close(): Promise<void>;
}

export interface Sending {
  /** A string is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The complete value of Authorization; none if null. */
  readonly authorization?: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  /** The body; an empty object if it is not a JSON object. */
  readonly json: Record<string, unknown>;
}

export async function openTestApp(
  options: Parameters<typeof openTestFleet>[0] = {},
): Promise<TestApp> {
  return serveTestFleet(await openTestFleet(options));
}

async function serveTestFleet(world: TestFleet, at = 0): Promise<TestApp> {
  const { openShell, openScreen } = world.connectors;
  const opening: typeof openShell = async (...given) =>
    Object.assign(await openShell(...given), fullShell as Partial<Shell>);
  const showing: typeof openScreen = async (...given) =>
    Object.assign(await openScreen(...given), { waitChange: async () => true });
  Object.assign(world.connectors, { openShell: opening, openScreen: showing });
  const { fleet } = world;
  const log = pino({ level: 'silent' });
  const metrics = new Metrics();
  const shared = { reachable: { hosts: [PROXY_HOST], origins: world.origins }, version: '0.0.0' };
  const app = await buildApp({ fleet, ...shared, log, metrics });
  await app.listen({ host: '127.0.0.1', port: at });
  const address = app.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const agent = new Agent({ keepAlive: true });
  return {
    world,
    port,
    server: app.server,
    send: (method, path, { body, headers, authorization = `Bearer ${world.key}` } = {}) =>
      new Promise((resolve, reject) => {
        const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
        const sent = request({
          ...{ host: '127.0.0.1', port, agent, method, path },
          headers: {
            ...(authorization === null ? {} : { authorization }),
            ...(text === undefined ? {} : { 'content-type': 'application/json' }),
            ...(text === undefined ? {} : { 'content-length': Buffer.byteLength(text) }),
            ...headers,
          },
        });
        sent.on('error', reject);
        sent.on('upgrade', (_, socket) => {
          socket.destroy();
          resolve({ status: 101, headers: {}, text: '', json: {} });
        });
        sent.on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          // A stream of events never ends by itself.
          if (response.headers['content-type'] === 'text/event-stream') {
            response.once('data', () => response.destroy());
          }
          response.on('close', () => {
            const answer = Buffer.concat(chunks).toString();
            const { statusCode: status = 0, headers: answered } = response;
            resolve({ status, headers: answered, text: answer, json: parsed(answer) });
          });
        });
        sent.end(text);
      }),
    raw: (bytes) =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
        let text = '';
        socket.on('data', (chunk) => {
          text += chunk;
          if (text.includes('\r\n\r\n')) socket.end();
        });
        socket.on('close', () => resolve(text));
        socket.on('error', reject);
      }),
    routes: () => routesOf(app.printRoutes({ commonPrefix: false })),
    restart: async () => {
      agent.destroy();
      await app.close();
      return serveTestFleet(await world.restart(), port);
    },
    close: async () => {
      agent.destroy();
      await app.close();
      await world.close();
    },
  };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return text.startsWith('{') ? JSON.parse(text) : {};
  } catch {
    // Lines of JSON.
    return {};
  }
}

/** Parses the tree that the framework prints: four columns per level, `part (METHOD, METHOD)`. */
function routesOf(tree: string): string[] {
  const parts: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const match = /^([│├└─ ]*)(\S+)(?: \((.+)\))?$/.exec(line);
    if (match === null) return [];
    const [, indent = '', part = '', methods = ''] = match;
    const depth = indent.length / 4;
    parts.splice(depth - 1, Number.POSITIVE_INFINITY, part);
    const path = parts.join('');
    return methods
      .split(', ')
      .filter((method) => method !== '')
      .map((method) => `${method} ${path}`);
  });
}
