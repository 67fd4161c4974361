import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

/** Compiles sources into `directory`, so that another process can import them; returns their paths. */
export async function compileModules<const Name extends string>(
  directory: string,
  sources: Readonly<Record<Name, string>>,
): Promise<Record<Name, string>> {
  const root = new URL('../../../src/', import.meta.url);
  const names = Object.keys(sources) as Name[];
  await build({
    input: Object.fromEntries(
      names.map((name) => [name, fileURLToPath(new URL(sources[name], root))]),
    ),
    platform: 'node',
    output: { dir: directory, format: 'esm', entryFileNames: '[name].mjs' },
    logLevel: 'warn',
  });
  const paths = names.map((name) => [name, join(directory, `${name}.mjs`)]);
  return Object.fromEntries(paths) as Record<Name, string>;
}
