import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Plan = z.strictObject({
  /** Operating system of computers with this image. */
  os: z.enum(['linux', 'windows']).default('linux'),
  /** Name of the recipe that this one builds on. */
  base: z.string().optional(),
  /** Sections of the base's package list to include. */
  sections: z.array(z.string()).default([]),
});

export type RecipePlan = z.infer<typeof Plan>;

/** A recipe's `recipe.json`; a recipe without one is for Linux and has no base. */
export async function readPlan(directory: string): Promise<RecipePlan> {
  const path = join(directory, 'recipe.json');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  const plan = Plan.safeParse(JSON.parse(text));
  if (!plan.success) throw new Error(`${path}: ${z.prettifyError(plan.error)}`);
  return plan.data;
}
