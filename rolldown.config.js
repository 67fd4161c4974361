import { defineConfig } from 'rolldown';

/** What every command line loads; small packages whose many files cost more than their code. */
const BUNDLED =
  /^(commander|chalk|cli-table3|string-width|emoji-regex|strip-ansi|ansi-regex|is-fullwidth-code-point|undici\/lib\/.*)$/;

const isPackage = (id) => /^[a-z@]/.test(id) && !id.startsWith('node:');

/** Modules that a command line starts with, by the name of the file for what they load; the fewest first. */
const STARTS = {
  base: 'src/cli/complete.ts',
  main: 'src/cli/entry.ts',
};

/** The start that a module is loaded with. */
const startOf = new Map();

/** Follows the static imports, because a list kept by hand drags in what some command alone needs. */
const findStarts = {
  name: 'find-starts',
  buildEnd() {
    for (const [name, path] of Object.entries(STARTS)) {
      const start = new URL(path, import.meta.url).pathname;
      const waiting = [start];
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        if (startOf.has(id)) continue;
        // A start itself acts when it is loaded.
        startOf.set(id, id === start ? null : name);
        waiting.push(...(this.getModuleInfo(id)?.importedIds ?? []));
      }
    }
  },
};

/**
 * Commander loads child_process for subcommands that are programs of their own. There are none, and
 * loading it takes a tenth of a whole start.
 */
const lazyChildProcess = {
  name: 'lazy-child-process',
  transform(code, id) {
    if (!id.endsWith('/commander/lib/command.js')) return undefined;
    const eager = "const childProcess = require('node:child_process');";
    if (!code.includes(eager)) throw new Error('commander loads child_process in another way now');
    const lazy =
      "const childProcess = { spawn: (...args) => require('node:child_process').spawn(...args) };";
    return code.replace(eager, lazy);
  },
};

/** The package's JavaScript: one file for what a start needs, others for what few commands need. */
export default defineConfig({
  input: {
    'cli/entry': 'src/cli/entry.ts',
    'cli/complete': 'src/cli/complete.ts',
    'client/index': 'src/client/index.ts',
    'contract/index': 'src/contract/index.ts',
  },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  external: (id) => isPackage(id) && !BUNDLED.test(id),
  plugins: [findStarts, lazyChildProcess],
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    // Comments and indentation are a third of what every start would read.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: 'undici', test: /node_modules\/undici/, priority: 2 },
        { name: (id) => startOf.get(id) ?? null, priority: 1, debugName: 'starts' },
      ],
    },
  },
});
