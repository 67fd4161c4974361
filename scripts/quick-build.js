// Configuration of the quick build: the commands that need only the client, for a fast start. One
// file of CommonJS, because its code can be cached between runs on Node.js 20 as well.
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';

const source = (path) => fileURLToPath(new URL(`../src/${path}`, import.meta.url));

/** Commands that start or manage a service, engine or image. They are in the full build only. */
const others = JSON.parse(readFileSync(new URL('../bin/full-build.json', import.meta.url), 'utf8'));

/** What a quick command must not load. */
const FORBIDDEN = /\/src\/(broadcast|engines|fleet|screen|server|shell|vnc-server)\//;

/** True for the path of a command, such as `./image/rm.js`, that is in the full build only. */
const isElsewhere = (path) =>
  others.some((name) => RegExp(`^\\./${name.replace('__', '').replace(' ', '/')}[./]`).test(path));

/** Leaves commands out, and checks that the others load nothing else. */
const onlyQuickCommands = {
  name: 'only-quick-commands',
  transform(code, id) {
    if (id !== source('cli/commands/tree.ts')) return undefined;
    return code.replace(/(?:withTree\()?\(\) => import\('(\.[^']+)'\)\)?/g, (load, path) =>
      isElsewhere(path) ? 'undefined' : load,
    );
  },
  buildEnd() {
    const found = [...this.getModuleIds()].find((id) => FORBIDDEN.test(id));
    if (found !== undefined) throw new Error(`a quick command loads ${found}`);
  },
};

/** Imports of what few commands need, and their entries in the full build. */
const BESIDE = {
  './service/silence.js': './silence.js',
  '../images/local.js': './local-images.js',
};

/** What few commands need, in files beside the quick build. */
const filesBeside = {
  name: 'files-beside',
  resolveId(name, importer) {
    // Of the full build: they look at what is on this machine without the service.
    const id = BESIDE[name];
    return importer?.startsWith(source('cli/')) && id ? { id, external: true } : undefined;
  },
};

const REQUIRED = /\b(let|const|var) ([\w$]+) = require\(["'`](?:node:)?([\w/.]+)["'`]\)/g;
/** What makes the default export of such a module. */
const INTEROP = /\bnode_(\w+) = __toESM\(node_\1, 1\);\n/g;
const IMPORTED = /\bimport\((["'`][\w@./:-]+["'`])\)/g;
/** They are functions, or Node.js has loaded them. */
const EAGER = [
  ...['assert', 'buffer', 'events', 'fs', 'module', 'path', 'process', 'stream', 'url', 'util'],
];

/**
 * Loads Node's own modules when they are first used, because each takes up to some milliseconds,
 * and files beside.
 * The launcher imports packages: code from a cache cannot.
 */
const lazyModules = {
  name: 'lazy-modules',
  renderChunk: (code) =>
    code
      .replace(REQUIRED, (whole, kind, name, module) =>
        (isBuiltin(module) && !EAGER.includes(module)) || module.startsWith('./')
          ? `${kind} ${name} = lazyModule("${module}")`
          : whole,
      )
      .replace(INTEROP, (whole, module) => (EAGER.includes(module) ? whole : ''))
      .replace(IMPORTED, (_, name) =>
        isBuiltin(name.slice(1, -1))
          ? `Promise.resolve(require(${name}))`
          : `importModule(${name})`,
      ),
};

const BANNER = `
let importModule;
exports.importWith = (given) => {
  importModule = given;
};
function lazyModule(name) {
  let loaded;
  return new Proxy({}, {
    get: (_, key) => {
      loaded ??= require(name);
      return key === 'default' ? loaded : loaded[key];
    },
  });
}
`;

export const quickBuild = ({ isExternal, plugins, minify }) => ({
  input: source('cli/quick.ts'),
  platform: 'node',
  external: isExternal,
  plugins: [onlyQuickCommands, filesBeside, ...plugins, lazyModules],
  // Leaves out the server of `ws`, which its client does not use.
  treeshake: { moduleSideEffects: [{ test: /\/node_modules\/ws\//, sideEffects: false }] },
  output: {
    file: 'dist/cli/quick.cjs',
    format: 'cjs',
    strictExecutionOrder: true,
    codeSplitting: false,
    banner: BANNER,
    minify,
  },
});
