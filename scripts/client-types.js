// Puts the types of the client package beside its JavaScript: the files of tsc that its entry points need.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ADAPTERS, OUTPUT } from './client-build.js';

/** Copies types from `dist`. */
export function copyTypes() {
  const copied = new Set();
  const entries = { index: 'client/index' };
  for (const name of ADAPTERS) entries[name] = `client/adapters/${name}`;
  for (const [name, path] of Object.entries(entries)) {
    copy(`${path}.d.ts`, copied);
    for (const extension of ['cts', 'mts']) {
      writeFileSync(
        join(OUTPUT, `${name}.d.${extension}`),
        `export * from './types/${path}.js';\n`,
      );
    }
  }
}

/** Copies a file and those that it imports. */
function copy(file, copied) {
  if (copied.has(file)) return;
  copied.add(file);
  const text = readFileSync(join('dist', file), 'utf8');
  if (text.includes("from 'zod'")) throw new Error(`${file} needs zod, which clients do not have`);
  const target = join(OUTPUT, 'types', file);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
  for (const [, path] of text.matchAll(/(?:from|import\() ?'(\.[^']+)\.js'/g)) {
    copy(join(dirname(file), `${path}.d.ts`), copied);
  }
}
