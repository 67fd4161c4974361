import { defineConfig } from 'rolldown';
import { clientBuilds } from './scripts/client-build.js';
import { inlineRoutes } from './scripts/contract.js';

const isPackage = (id) => /^[a-z@]/.test(id) && !id.startsWith('node:');

/** The server keeps the copy that @fastify/websocket loads as well. */
const isClientsWs = (id, importer) => id === 'ws' && /\/src\/client\//.test(importer ?? '');

/** Chunks and the modules whose static imports they contain, smallest first. */
const CHUNKS = {
  complete: 'src/cli/complete.ts',
  base: 'src/cli/completion/names.ts',
  main: 'src/cli/entry.ts',
};

/** The chunk of each module; null for the modules in {@link CHUNKS} themselves. */
const chunkOf = new Map();

/** Assigns modules to chunks by their static imports. */
const assignChunks = {
  name: 'assign-chunks',
  buildEnd() {
    chunkOf.clear();
    for (const [name, path] of Object.entries(CHUNKS)) {
      const start = new URL(path, import.meta.url).pathname;
      const waiting = [start];
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        if (chunkOf.has(id)) continue;
        // An entry point runs when it is loaded, so no chunk may contain it.
        chunkOf.set(id, id === start ? null : name);
        waiting.push(...(this.getModuleInfo(id)?.importedIds ?? []));
      }
    }
  },
};

/** Dockerode loads gRPC, 12 MB of memory, for builds with registry credentials, which nothing here makes. */
const withoutGrpc = {
  name: 'without-grpc',
  resolveId: (id, importer) =>
    id === './session' && importer?.endsWith('/dockerode/lib/docker.js') ? '\0no-grpc' : undefined,
  load: (id) =>
    id === '\0no-grpc'
      ? "module.exports = () => { throw new Error('built without gRPC'); };"
      : undefined,
};

// Comments and indentation are a third of the code.
const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

/** The schemas of the contract, which other programs import. */
export const contract = defineConfig({
  input: { 'contract/index': 'src/contract/index.ts' },
  platform: 'node',
  external: isPackage,
  output: { dir: 'dist', format: 'esm', entryFileNames: '[name].js', minify },
});

/** The client package, clients/typescript, which the root package exports as well. */
export const client = clientBuilds;

/**
 * Packages that the build leaves in node_modules: those with native code or with files beside
 * their code, those that these load as well, and those that a service does not load at its start. The
 * others are bundled: opening their thousand files takes a third of the time that a service needs to start.
 */
const IN_NODE_MODULES =
  /^(sharp|libsql|ssh2|undici|ws|pino|jq-wasm|@modelcontextprotocol\/.*|@novnc\/.*)$/;

const isExternal = (id, importer) =>
  isPackage(id) && IN_NODE_MODULES.test(id) && !isClientsWs(id, importer);

/** The CLI: a chunk for what every command needs, others for what few need. */
export default defineConfig({
  input: {
    'cli/entry': 'src/cli/entry.ts',
    'cli/complete': 'src/cli/complete.ts',
  },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  external: isExternal,
  plugins: [inlineRoutes, assignChunks, withoutGrpc],
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    minify,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: 'ws', test: /node_modules\/ws\//, priority: 2 },
        { name: (id) => chunkOf.get(id) ?? null, priority: 1, debugName: 'start-up' },
      ],
    },
  },
});
