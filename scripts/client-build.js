// Configuration of the client package, clients/typescript: one file for Node.js, one for browsers, and
// one for each SDK that it adapts to.
import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import { inlineRoutes } from './contract.js';

const source = (path) => fileURLToPath(new URL(`../src/client/${path}`, import.meta.url));
const WEBSOCKET = fileURLToPath(new URL('../node_modules/ws/lib/websocket.js', import.meta.url));
export const OUTPUT = 'clients/typescript/dist';

/** Packages that make ws faster if they are there. */
const OPTIONAL = ['bufferutil', 'utf-8-validate'];

/** Takes the browser's part of the platform in place of that of Node.js. */
const forBrowsers = {
  name: 'for-browsers',
  resolveId(name) {
    return name.endsWith('/platform/index.js') ? source('platform/browser.ts') : undefined;
  },
};

/**
 * Exports the same objects as the CommonJS build: with code of its own, a program that gets the package
 * both ways would have two classes of each error.
 */
const wrapper = {
  name: 'wrapper',
  generateBundle(_, bundle) {
    for (const { name, exports } of Object.values(bundle)) {
      const names = exports.filter((exported) => exported !== 'default');
      this.emitFile({
        type: 'asset',
        fileName: `${name}.mjs`,
        source: `export { ${names.join(', ')} } from './${name}.cjs';\n`,
      });
    }
  },
};

/** Stands for the compression of ws, which the client does not offer to the service. */
const NO_COMPRESSION = "module.exports = class { static extensionName = 'permessage-deflate'; };";

/** Takes the client of ws without its server and compression. */
const smallWs = {
  name: 'small-ws',
  resolveId: (name) => (name === 'ws' ? '\0ws' : undefined),
  load(id) {
    if (id === '\0ws') return `export { default as WebSocket } from '${WEBSOCKET}';`;
    return id.endsWith('/ws/lib/permessage-deflate.js') ? NO_COMPRESSION : undefined;
  },
};

/** Most characters of a line, roughly: Node.js prints the line of an error that nobody caught. */
const LINE_LENGTH = 160;

/** Starts a new line between statements or members of classes, once a line is long. */
const shortLines = {
  name: 'short-lines',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      const starts = new Set();
      collectStarts(this.parse(chunk.code), starts);
      let code = '';
      let from = 0;
      for (const start of [...starts].sort((a, b) => a - b)) {
        if (start - from < LINE_LENGTH) continue;
        code += `${chunk.code.slice(from, start)}\n`;
        from = start;
      }
      chunk.code = code + chunk.code.slice(from);
    }
  },
};

/** Adds where each statement and member of a class starts. */
function collectStarts(node, starts) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node.body)) for (const { start } of node.body) starts.add(start);
  for (const child of Object.values(node)) collectStarts(child, starts);
}

// Small for pages. Node.js prints an error with the name of its class.
const minify = {
  compress: true,
  mangle: { keepNames: { class: true, function: false } },
  codegen: { removeWhitespace: true },
};
const output = { dir: OUTPUT, codeSplitting: false, minify };

/** Subpaths of the package: adapters for SDKs, which import nothing of the client but types. */
export const ADAPTERS = ['ai-sdk', 'anthropic', 'openai'];

const adapterBuild = (name, format, plugins = []) => ({
  input: { [name]: source(`adapters/${name}.ts`) },
  external: /^[^./]/,
  plugins: [...plugins, shortLines],
  output: { ...output, format, entryFileNames: `[name].${format === 'cjs' ? 'cjs' : 'mjs'}` },
});

export const clientBuilds = [
  {
    input: { index: source('index.ts') },
    platform: 'node',
    external: [...builtinModules, ...OPTIONAL, /^node:/],
    plugins: [inlineRoutes, smallWs, wrapper, shortLines],
    output: { ...output, format: 'cjs', entryFileNames: '[name].cjs' },
  },
  {
    input: { browser: source('index.ts') },
    platform: 'browser',
    plugins: [inlineRoutes, forBrowsers, shortLines],
    output: { ...output, format: 'esm', entryFileNames: '[name].mjs' },
  },
  adapterBuild('ai-sdk', 'cjs', [wrapper]),
  adapterBuild('openai', 'cjs', [wrapper]),
  // Both ways, because each copy of the SDK has a class of errors of its own.
  adapterBuild('anthropic', 'cjs'),
  adapterBuild('anthropic', 'esm'),
];
