// The web page in dist/dashboard, with a compressed form of each file beside it, and the script of
// the live view in dist/dashboard/view.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'rolldown';
import { inlineRoutes } from './contract.js';

const SOURCE = 'src/dashboard/app';
const TARGET = 'dist/dashboard';
/** A smaller file fits into one packet as it is. */
const LEAST_BYTES = 1024;
/** Documents and the script that each starts with. */
const DOCUMENTS = { index: 'main.tsx', terminal: 'terminal/main.ts' };

/** Parts of noVNC for other servers: encodings, authentication, and compression of the clipboard. */
const UNUSED = [
  'crypto/crypto',
  'decoders/h264',
  'decoders/hextile',
  'decoders/jpeg',
  'decoders/rre',
  'decoders/tightpng',
  'decoders/zrle',
  'deflator',
  'ra2',
];
/** Leaves them out: a third of noVNC. */
function withoutUnused() {
  const left = new Set(UNUSED);
  return {
    name: 'without-unused',
    load(id) {
      const [, part] = /novnc\/core\/([\w/]+)\.js$/.exec(id) ?? [];
      if (part === undefined || !UNUSED.includes(part)) return null;
      left.delete(part);
      return 'export default class {}';
    },
    buildEnd() {
      if (left.size > 0) throw new Error(`noVNC has no ${[...left].join(', ')}`);
    },
  };
}

/** Builds the page into dist/dashboard. */
export async function buildDashboard() {
  rmSync(TARGET, { recursive: true, force: true });
  mkdirSync(join(TARGET, 'assets'), { recursive: true });
  await buildView();
  const { output } = await build({
    input: Object.fromEntries(
      Object.entries(DOCUMENTS).map(([name, file]) => [name, join(SOURCE, file)]),
    ),
    platform: 'browser',
    logLevel: 'warn',
    resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
    transform: { target: 'es2022' },
    tsconfig: join(SOURCE, 'tsconfig.json'),
    plugins: [inlineRoutes, withoutUnused()],
    output: {
      dir: TARGET,
      format: 'esm',
      entryFileNames: 'assets/[name]-[hash].js',
      chunkFileNames: 'assets/[name]-[hash].js',
      minify: true,
      codeSplitting: {
        groups: [
          // Runs before the others have come.
          { name: 'parts', test: /\/app\/parts\.ts$/, priority: 2 },
          // What most pages need, as one file instead of ten.
          {
            name: 'base',
            test: /node_modules\/@?preact|\/app\/(api\/(?!commands)|components\/(?!forms|table|menu)|state\/)/,
            priority: 1,
          },
          // What the first page does not need.
          { name: 'forms', test: /\/app\/(api|components)\// },
        ],
      },
    },
  });
  const parts = output.find(({ name }) => name === 'parts').fileName;
  const start = `<script>${await inlineScript(join(SOURCE, 'start.ts'))}</script>`;
  loadTogether(output);
  const xterm = dirname(createRequire(import.meta.url).resolve('@xterm/xterm/package.json'));
  const names = {
    icon: writeHashed('icon.svg', readFileSync('src/dashboard/view/icon.svg', 'utf8')),
    styles: writeHashed('styles.css', styles()),
    xterm: writeHashed('xterm.css', minifyCss(readFileSync(join(xterm, 'css/xterm.css'), 'utf8'))),
  };
  for (const document of Object.keys(DOCUMENTS)) {
    const entry = output.find(({ isEntry, name }) => isEntry && name === document);
    const text = readFileSync(join(SOURCE, `${document}.html`), 'utf8');
    // Else they are requested only when the first script has come, a round trip later.
    const preloads = entry.imports
      .filter((name) => name !== parts)
      .map((name) => `<link rel="modulepreload" href="/${name}">`);
    const all = { ...names, start, parts, main: entry.fileName, preloads: preloads.join('\n    ') };
    writeFileSync(
      join(TARGET, `${document}.html`),
      text.replaceAll(/%(\w+)%/g, (_, name) => all[name]),
    );
  }
  compress();
}

/**
 * An inline script, without imports. The document has it before the styles, for which a browser would wait.
 */
async function inlineScript(input) {
  const { output } = await build({
    input,
    write: false,
    platform: 'browser',
    logLevel: 'warn',
    resolve: { extensionAlias: { '.js': ['.ts'] } },
    transform: { target: 'es2022' },
    output: { format: 'iife', minify: true },
  });
  return output[0].code.trim();
}

/**
 * Lets each import() of a chunk load what that chunk imports at the same time: else a browser learns of
 * it when the chunk has come, a round trip later. What the page has loaded already is not loaded again.
 */
function loadTogether(output) {
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const needs = (name) => [name, ...chunks.get(name).imports.flatMap(needs)];
  const first = new Set(needs(output.find(({ name }) => name === 'index').fileName));
  for (const { fileName, dynamicImports = [] } of output) {
    if (dynamicImports.length === 0) continue;
    const file = join(TARGET, fileName);
    const text = readFileSync(file, 'utf8').replaceAll(/import\(`\.\/([^`]+)`\)/g, (all, name) => {
      const own = [...new Set(needs(`assets/${name}`))].filter((one) => !first.has(one));
      if (own.length < 2) return all;
      const imports = own.map((one) => `import(\`./${basename(one)}\`)`);
      return `Promise.all([${imports}]).then(([e])=>e)`;
    });
    writeFileSync(file, text);
  }
}

/**
 * The live view's script as one file. A browser gives up every request in progress when the host's
 * network changes, as it does when a container starts, and a page of forty modules often lacked one.
 */
async function buildView() {
  await build({
    input: 'src/dashboard/view/view.js',
    platform: 'browser',
    logLevel: 'warn',
    transform: { target: 'es2022' },
    plugins: [withoutUnused()],
    output: {
      dir: join(TARGET, 'view'),
      format: 'esm',
      minify: true,
      codeSplitting: false,
      banner: '/*! Contains noVNC (MPL-2.0), https://github.com/novnc/noVNC */',
    },
  });
}

/** The page's styles in one file, in the order of their names. */
function styles() {
  const folder = join(SOURCE, 'styles');
  const texts = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  return minifyCss(texts.join('\n'));
}

function minifyCss(text) {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,]) ?/g, '$1')
    .trim();
}

/** Writes an asset with a hash of its content in its name, and answers its path. */
function writeHashed(name, text) {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const path = `assets/${name.replace('.', `-${hash}.`)}`;
  writeFileSync(join(TARGET, path), text);
  return path;
}

function compress() {
  for (const entry of readdirSync(TARGET, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !/\.(html|css|js|svg)$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const data = readFileSync(file);
    if (data.length < LEAST_BYTES) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
    writeFileSync(`${file}.br`, brotliCompressSync(data, { params }));
    writeFileSync(`${file}.gz`, gzipSync(data, { level: 9 }));
  }
}
