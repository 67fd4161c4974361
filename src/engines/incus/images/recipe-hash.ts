import { createHash } from 'node:crypto';
import { recipeHash } from '../../../images/recipe.js';
import { INIT_SCRIPT } from './init-script.js';

/** Hash of a recipe with what this engine adds to it. */
export async function imageHash(name: string): Promise<string> {
  return createHash('sha256')
    .update(await recipeHash(name))
    .update('\n')
    .update(INIT_SCRIPT)
    .digest('hex');
}
