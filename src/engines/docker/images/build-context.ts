import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Recipe, readPackages } from '../../../images/recipe.js';

/** The files of a build context, which the Dockerfile refers to by these names. */
export const CONTEXT = ['Dockerfile', 'packages', 'setup.sh', 'files'];

/**
 * Runs `work` with a temporary build context of a recipe and the recipes that it builds on. The
 * Dockerfile is that of the first layer.
 */
export async function withContext<T>(
  recipe: Recipe,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'vc-context-'));
  try {
    const scripts: string[] = [];
    for (const layer of recipe.layers) {
      const options = { recursive: true, force: true, verbatimSymlinks: true };
      await cp(join(layer, 'files'), join(directory, 'files'), options);
      scripts.push(await readFile(join(layer, 'setup.sh'), 'utf8'));
    }
    await writeFile(join(directory, 'setup.sh'), scripts.join('\n'));
    await writeFile(join(directory, 'packages'), `${(await readPackages(recipe)).join('\n')}\n`);
    const first = recipe.layers[0] ?? recipe.directory;
    await cp(join(first, 'Dockerfile'), join(directory, 'Dockerfile'));
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
