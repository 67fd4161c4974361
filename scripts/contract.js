// What the build makes of the contract: the types of the client (src/contract/types/generated.ts), and
// routes without schemas. `node scripts/contract.js` writes the types.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { renderTypes } from './render-types.js';

const source = (path) => fileURLToPath(new URL(`../src/contract/${path}`, import.meta.url));
const TYPES = source('types/generated.ts');

/** Compiles a module of the contract and imports it. */
async function load(path) {
  // Within the repository, so that the compiled module finds its packages.
  const directory = mkdtempSync(join(source('../../node_modules'), '.vc-contract-'));
  try {
    const file = join(directory, 'module.mjs');
    await build({
      input: source(path),
      platform: 'node',
      external: (id) => /^[a-z@]/.test(id),
      output: { file, format: 'esm' },
      logLevel: 'warn',
    });
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Writes the types of the client, unless they are up to date. */
export async function writeTypes() {
  const [{ openApiDocument }, { operations }] = await Promise.all([
    load('openapi/document.ts'),
    load('operations.ts'),
  ]);
  const types = renderTypes(openApiDocument(''), Object.keys(operations));
  if (readIfPresent(TYPES) !== types) writeFileSync(TYPES, types);
}

function readIfPresent(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Both forms of a computer's address, as JSON. */
const COMPUTER_PATHS = /\["\/computers\/:id([^"]*)","\/projects[^"]*"\]/g;

/** Replaces routes.ts by its values, so that clients load no schemas. */
export const inlineRoutes = {
  name: 'inline-routes',
  load: {
    filter: { id: source('routes.ts') },
    async handler() {
      const values = Object.entries(await load('routes.ts')).map(
        ([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`,
      );
      const code = values.join('').replaceAll(COMPUTER_PATHS, 'computerPaths("$1")');
      return `import { computerPaths } from './operations/operation.js';\n${code}`;
    },
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeTypes();
