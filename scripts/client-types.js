// Joins the types of the client, which tsc writes as many files, into one file with their comments.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const OUTPUT = 'clients/typescript/dist';

/** Imports and exports of other files; tsc writes each as one statement that ends with a semicolon. */
const FROM = /^(?:import|export)(?: type)? (?:\{([^}]*)\}|\*(?: as \w+)?) from '(\.[^']+)';\n/gm;
const DECLARED =
  /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|const|function) (\w+)/gm;

/** Writes the types that `entry`, a file of tsc, exports. Throws if a name is declared twice. */
export function joinTypes(entry) {
  const texts = new Map();
  const owners = new Map();
  collect(entry, texts);
  for (const [file, text] of texts) {
    for (const [, name] of text.matchAll(DECLARED)) {
      const other = owners.get(name);
      // Overloads and merged declarations are in one file.
      if (other !== undefined && other !== file) {
        throw new Error(`${name} is declared in ${other} and in ${file}: rename one of them`);
      }
      owners.set(name, file);
    }
  }
  const exported = [...readFileSync(entry, 'utf8').matchAll(FROM)].flatMap(([, names]) =>
    names.split(',').map((name) => name.trim().replace(/^type /, '')),
  );
  const names = exported.filter((name) => name !== '').sort();
  const body = [...texts.values()].join('');
  mkdirSync(OUTPUT, { recursive: true });
  writeFileSync(join(OUTPUT, 'index.d.cts'), `${body}export { ${names.join(', ')} };\n`);
  writeFileSync(join(OUTPUT, 'index.d.mts'), "export * from './index.cjs';\n");
}

/** Writes the types of an adapter, which imports those of the client from its index alone. */
export function writeAdapterTypes(entry, name) {
  const text = shortIndents(readFileSync(entry, 'utf8'));
  const types = text.replaceAll("'../index.js'", "'./index.cjs'");
  if (/from '\.(?!\/index\.cjs)/.test(types)) throw new Error(`${entry} imports another file`);
  writeFileSync(join(OUTPUT, `${name}.d.cts`), types);
  writeFileSync(join(OUTPUT, `${name}.d.mts`), `export * from './${name}.cjs';\n`);
}

/** The declarations of a file and of those that it needs, without imports and exports. */
function collect(file, texts) {
  if (texts.has(file)) return;
  texts.set(file, '');
  const text = readFileSync(file, 'utf8');
  for (const [statement, names, path] of text.matchAll(FROM)) {
    const isRenamed =
      / as /.test(names ?? '') || (names === undefined && !/^export/.test(statement));
    if (isRenamed && !/client.index\.d\.ts$/.test(file)) {
      throw new Error(`${file} renames what it imports from ${path}`);
    }
    collect(join(dirname(file), path.replace(/\.js$/, '.d.ts')), texts);
  }
  const own = shortComments(shortIndents(text))
    .replaceAll(FROM, '')
    .replaceAll(/^export \{\};\n/gm, '')
    .replaceAll(/^export (?=(declare|interface|type|abstract))/gm, '');
  if (/^(import|export)|\bimport\(/m.test(own))
    throw new Error(`${file} has another import or export`);
  texts.set(file, own);
}

/** Comments of several lines without lines of their own for the beginning and the end. */
function shortComments(text) {
  return text.replaceAll(/^(\s*\/\*\*)\n\s*\*( [\s\S]*?)\n\s*\*\/$/gm, '$1$2 */');
}

function shortIndents(text) {
  return text.replaceAll(/^( {4})+/gm, (indent) => '\t'.repeat(indent.length / 4));
}
