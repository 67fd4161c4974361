import { defineConfig } from 'rolldown';
import { clientBuilds } from './scripts/client-build.js';
import { quickBuild } from './scripts/quick-build.js';

/** Packages that every command loads. Bundling them is faster than opening their many files. */
const BUNDLED =
  /^(commander|chalk|cli-table3|string-width|emoji-regex|strip-ansi|ansi-regex|is-fullwidth-code-point)$/;

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

/**
 * Commander loads child_process for subcommands that are separate programs. There are none, and
 * loading it takes a tenth of the start-up time.
 */
const lazyChildProcess = {
  name: 'lazy-child-process',
  transform(code, id) {
    if (!id.endsWith('/commander/lib/command.js')) return undefined;
    const eager = "const childProcess = require('node:child_process');";
    if (!code.includes(eager))
      throw new Error('commander no longer loads child_process in the expected way');
    const lazy =
      "const childProcess = { spawn: (...args) => require('node:child_process').spawn(...args) };";
    return code.replace(eager, lazy);
  },
};

/** Dockerode loads gRPC for builds with registry credentials, which nothing here makes. */
const lazyGrpc = {
  name: 'lazy-grpc',
  transform(code, id) {
    if (!id.endsWith('/dockerode/lib/docker.js')) return undefined;
    const eager = "withSession = require('./session'),";
    if (!code.includes(eager))
      throw new Error('dockerode no longer loads gRPC in the expected way');
    return code.replace(eager, "withSession = (...args) => require('./session')(...args),");
  },
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

const isExternal = (id, importer) =>
  isPackage(id) && !BUNDLED.test(id) && !isClientsWs(id, importer);

/**
 * Packages that the full build leaves in node_modules: those with native code or with files beside
 * their code, those that these load as well, and those that a service does not load at its start. The
 * others are bundled: opening their thousand files takes a third of the time that a service needs to start.
 */
const IN_NODE_MODULES =
  /^(sharp|libsql|ssh2|undici|ws|pino|jq-wasm|@modelcontextprotocol\/.*|@grpc\/.*|@novnc\/.*)$/;

const isExternalOfService = (id, importer) => isExternal(id, importer) && IN_NODE_MODULES.test(id);

/** The CLI as one file of CommonJS, without the commands for hosts. */
export const quick = quickBuild({ isExternal, plugins: [lazyChildProcess], minify });

/** The CLI: a chunk for what every command needs, others for what few need. */
export default defineConfig({
  input: {
    'cli/entry': 'src/cli/entry.ts',
    'cli/complete': 'src/cli/complete.ts',
    'cli/silence': 'src/cli/service/silence.ts',
    'cli/local-images': 'src/cli/images/local.ts',
  },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  external: isExternalOfService,
  plugins: [assignChunks, lazyChildProcess, lazyGrpc],
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
