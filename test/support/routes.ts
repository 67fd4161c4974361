import type { z } from 'zod';
import { byteStreams } from '../../src/contract/operations/byte-streams.js';
import type { ByteStream } from '../../src/contract/operations/operation.js';
import { endpoints } from '../../src/contract/operations.js';
import { VIEW_PATHS } from '../../src/contract/sockets/view.js';

/** One method and path of the contract, with its schemas. */
export interface Route {
  /** Name of the operation, which several routes may share. */
  readonly name: string;
  readonly method: string;
  /** Under `/api`, with `:parameters`. */
  readonly path: string;
  readonly body?: z.ZodType;
  readonly query?: z.ZodType;
  readonly response?: z.ZodType;
  /** For older clients, and not in the OpenAPI document. */
  readonly isAlias: boolean;
  /** Needs no key. */
  readonly open: boolean;
  /** A WebSocket. */
  readonly upgrade: boolean;
}

const streams: Readonly<Record<string, ByteStream>> = byteStreams;
const described: Route[] = Object.entries(endpoints).flatMap(([name, { paths, ...endpoint }]) =>
  [...paths, ...(endpoint.aliases ?? [])].map((path) => ({
    ...endpoint,
    name,
    path,
    isAlias: endpoint.aliases?.includes(path) ?? false,
    open: endpoint.access === 'open',
    upgrade: streams[name]?.messages !== undefined,
  })),
);

/** Every route of the contract: operations, byte streams and pages. */
export const routes: readonly Route[] = [
  ...described,
  ...routesOf(
    'cdpVersion',
    'GET',
    endpoints.cdpVersion.paths.map((path) => `${path}/`),
    {},
  ),
  ...routesOf('viewPage', 'GET', [VIEW_PATHS.page, VIEW_PATHS.assets], { open: true }),
  ...routesOf('viewSocket', 'GET', [VIEW_PATHS.socket, VIEW_PATHS.sound], {
    open: true,
    upgrade: true,
  }),
  ...routesOf('openapi', 'GET', ['/openapi.json'], { open: true }),
  ...routesOf('docs', 'GET', ['/docs', '/docs/reference.css', '/docs/reference.js'], {
    open: true,
  }),
  ...routesOf('docs', 'GET', ['/docs/icon.svg'], { open: true }),
];

function routesOf(
  name: string,
  method: string,
  paths: readonly string[],
  more: Partial<Route>,
): Route[] {
  const usual = { isAlias: false, open: false, upgrade: false };
  return paths.map((path) => ({ name, method, path, ...usual, ...more }));
}

/** The parameters of a path, by name. */
export function parametersOf({ path }: Pick<Route, 'path'>): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

/** The path below the host, with its parameters filled in and percent-encoded. */
export function fill(path: string, parameters: Readonly<Record<string, string>>): string {
  const filled = path
    .replace('*', 'none')
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? 'none'));
  return `/api${filled}`;
}

/** Headers that ask for a WebSocket. */
export const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
} as const;
