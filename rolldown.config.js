import { defineConfig } from 'rolldown';

/** What every command line loads; small packages whose many files cost more than their code. */
const BUNDLED =
  /^(commander|chalk|cli-table3|string-width|emoji-regex|strip-ansi|ansi-regex|is-fullwidth-code-point|undici\/lib\/.*)$/;

const CORE =
  /src\/(client\/(?!process|index|computer|virtual)|profile\/|contract\/errors|package-root|cli\/(?!.*(?:image|engine|entry|table))[^/]+$)/;
const isCore = (id) => CORE.test(id);

const isPackage = (id) => /^[a-z@]/.test(id) && !id.startsWith('node:');

/** The package's JavaScript: one chunk for what commands share, others for what few of them need. */
export default defineConfig({
  input: {
    'cli/entry': 'src/cli/entry.ts',
    'client/index': 'src/client/index.ts',
    'contract/index': 'src/contract/index.ts',
  },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  external: (id) => isPackage(id) && !BUNDLED.test(id),
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: {
      includeDependenciesRecursively: false,
      // What nearly every command runs: one file each instead of twenty.
      groups: [
        { name: 'core', test: isCore },
        { name: 'commander', test: /node_modules\/commander/ },
        { name: 'undici', test: /node_modules\/undici/ },
      ],
    },
  },
});
