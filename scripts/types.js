// Writes the client's types (src/contract/types/generated.ts) from the contract.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Compiles the generator and runs it; it needs no other part of the build. */
export async function writeTypes() {
  // Within the repository, so that the compiled generator finds its packages.
  const directory = mkdtempSync(join(root, 'node_modules/.vc-types-'));
  try {
    const file = join(directory, 'typescript.mjs');
    await build({
      input: join(root, 'src/contract/openapi/typescript.ts'),
      platform: 'node',
      external: (id) => /^[a-z@]/.test(id),
      output: { file, format: 'esm' },
      logLevel: 'warn',
    });
    const { renderTypes } = await import(pathToFileURL(file).href);
    writeFileSync(join(root, 'src/contract/types/generated.ts'), renderTypes());
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
