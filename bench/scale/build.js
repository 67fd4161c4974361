import { mkdtempSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const source = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Modules of the service that the benchmark replaces: all else is the real one. */
const REPLACED = new Map([
  [source('src/engines/index.ts'), source('bench/scale/engines.js')],
  [source('src/fleet/lifecycle/reconcile.ts'), source('bench/scale/timed-reconciler.js')],
]);

/** Bundles the service with the engine of the benchmark; returns the program and how to remove it. */
export async function buildProgram() {
  // Below the packages that the program imports.
  const directory = mkdtempSync(source('node_modules/.vc-scale-'));
  const replace = {
    name: 'replace',
    async resolveId(name, importer) {
      if (!name.startsWith('.') || importer?.startsWith(source('bench/'))) return undefined;
      const resolved = await this.resolve(name, importer, { skipSelf: true });
      return resolved && REPLACED.get(resolved.id);
    },
  };
  const build = await rolldown({
    input: source('bench/scale/program.js'),
    platform: 'node',
    external: (id) => /^[a-z@]/.test(id),
    plugins: [replace],
  });
  await build.write({ dir: directory, format: 'esm' });
  return {
    program: `${directory}/program.js`,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
