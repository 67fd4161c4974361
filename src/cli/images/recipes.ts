import { loadVmRecipe, recipeHash } from '../../images/index.js';

/** The hash that an image built now would have for an engine; undefined if there is no recipe. */
export async function currentRecipeHash(name: string, engine: string): Promise<string | undefined> {
  try {
    return engine === 'qemu' ? (await loadVmRecipe(name)).hash : await recipeHash(name);
  } catch {
    return undefined;
  }
}
