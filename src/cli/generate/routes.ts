import { files, operations, PROCESS_PATHS, TUNNEL_PATHS } from '../../contract/index.js';

/** The text of src/client/routes.ts: the contract's methods and paths without its schemas. */
export function renderRoutes(): string {
  const rows = Object.entries(operations).map(
    ([name, { method, paths }]) =>
      `  ${name}: { method: '${method}', paths: [${paths.map((path) => `'${path}'`).join(', ')}] },`,
  );
  return `// Written by \`npm run generate\` from the contract's table of operations: a client finds its
// paths here without loading every schema, which takes longer than the rest of a command's start.
import type { Method, OperationName } from '../contract/index.js';

/** Where an operation is served: its method and the paths that answer it. */
export interface Route {
  readonly method: Method;
  readonly paths: readonly string[];
}

// biome-ignore format: one operation a line
export const routes: { readonly [N in OperationName]: Route } = {
${rows.join('\n')}
};

/** Paths of a process with its streams over a WebSocket. */
${list('processPaths', PROCESS_PATHS)}

/** Paths of a connection to a port over a WebSocket. */
${list('tunnelPaths', TUNNEL_PATHS)}

/** Paths of a file's bytes. */
${list('filePaths', files.FILE_PATHS)}
`;
}

function list(name: string, paths: readonly string[]): string {
  const lines = paths.map((path) => `  '${path}',`).join('\n');
  return `export const ${name}: readonly string[] = [\n${lines}\n];`;
}
