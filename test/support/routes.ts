import type { z } from 'zod';
import { ReadFileQuery, WriteFileQuery } from '../../src/contract/files.js';
import { type Operation, operations } from '../../src/contract/operations.js';
import {
  CDP_PATHS,
  CDP_VERSION_PATHS,
  FILE_PATHS,
  MCP_PATH,
  PROCESS_PATHS,
  TUNNEL_PATHS,
} from '../../src/contract/routes.js';
import { CdpQuery } from '../../src/contract/sockets/browser.js';
import { TunnelQuery } from '../../src/contract/sockets/tunnel.js';
import { VIEW_PATHS } from '../../src/contract/sockets/view.js';
import { WALL_PATH } from '../../src/contract/sockets/wall.js';

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
  /** Needs no key. */
  readonly open: boolean;
  /** A WebSocket. */
  readonly upgrade: boolean;
}

const described: Route[] = Object.entries(operations as Record<string, Operation>).flatMap(
  ([name, { paths, open = false, ...operation }]) =>
    paths.map((path) => ({ ...operation, name, path, open, upgrade: false })),
);

/** Every route of the contract: operations, byte streams and pages. */
export const routes: readonly Route[] = [
  ...described,
  ...routesOf('readFile', 'GET', FILE_PATHS, { query: ReadFileQuery }),
  ...routesOf('writeFile', 'PUT', FILE_PATHS, { query: WriteFileQuery }),
  ...routesOf('process', 'GET', PROCESS_PATHS, { upgrade: true }),
  ...routesOf('tunnel', 'GET', TUNNEL_PATHS, { upgrade: true, query: TunnelQuery }),
  ...routesOf('cdp', 'GET', CDP_PATHS, { upgrade: true, query: CdpQuery }),
  ...routesOf('cdpVersion', 'GET', CDP_VERSION_PATHS, {}),
  ...routesOf(
    'cdpVersion',
    'GET',
    CDP_VERSION_PATHS.map((path) => `${path}/`),
    {},
  ),
  ...routesOf('wall', 'GET', [WALL_PATH], { upgrade: true }),
  ...routesOf('mcp', 'POST', [MCP_PATH], {}),
  ...routesOf('viewPage', 'GET', [VIEW_PATHS.page, VIEW_PATHS.assets], { open: true }),
  ...routesOf('viewSocket', 'GET', [VIEW_PATHS.socket], { open: true, upgrade: true }),
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
  return paths.map((path) => ({ name, method, path, open: false, upgrade: false, ...more }));
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
