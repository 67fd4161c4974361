import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { packageRoot } from '../lib/package-root.js';
import { hashDirectory } from './hash-directory.js';

const Plan = z.strictObject({
  /** Operating system of computers with this image. */
  os: z.enum(['linux', 'windows']).default('linux'),
  /** Name of the recipe that this one builds on. */
  base: z.string().optional(),
  /** Sections of the base's package list to include. */
  sections: z.array(z.string()).default([]),
});

type RecipePlan = z.infer<typeof Plan>;

/** A recipe's `recipe.json`; a recipe without one is for Linux and has no base. */
async function readPlan(directory: string): Promise<RecipePlan> {
  const path = join(directory, 'recipe.json');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  const plan = Plan.safeParse(JSON.parse(text));
  if (!plan.success) throw new Error(`${path}: ${z.prettifyError(plan.error)}`);
  return plan.data;
}

/** Where the recipes are in this package, in the sources as well as in `dist`. */
const RECIPES = fileURLToPath(new URL('images/', packageRoot));

const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Subfolder of a recipe with additional packages, files and set-up for virtual machines. */
const VM = 'vm';

/** A machine image's sources: a folder with `packages`, `files/`, `setup.sh`, maybe `recipe.json`. */
export interface Recipe {
  readonly name: string;
  /** Absolute path of the folder. */
  readonly directory: string;
  readonly os: 'linux' | 'windows';
  /** Folders in the order of their files and set-up: that of the base, then its own. */
  readonly layers: readonly string[];
  /** SHA-256 in hexadecimal digits. The same sources give the same hash on every machine. */
  readonly hash: string;
}

/** Sources of a root file system. */
export interface Layers {
  /** Folders with `files/` and `setup.sh`: all files are copied, then the set-ups run in order. */
  readonly layers: readonly string[];
  readonly packages: readonly string[];
}

/** Sources of a virtual machine's disk: the recipe and the additions in its `vm` folders. */
export interface VmRecipe extends Layers {
  readonly name: string;
  readonly os: 'linux' | 'windows';
  /** Hash of all sources; that of {@link Recipe} does not include `vm`. */
  readonly hash: string;
}

/** Names of the recipes in `root`, sorted. */
export async function listRecipes(root: string = RECIPES): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && NAME.test(entry.name))
    .map((entry) => entry.name)
    .sort();
}

/**
 * Reads the recipe called `name` in `root`, which defaults to the recipes of this package. Throws
 * an `Error` that lists the known names if no recipe has this name.
 */
export async function loadRecipe(name: string, root: string = RECIPES): Promise<Recipe> {
  const names = await listRecipes(root);
  if (!names.includes(name)) {
    throw new Error(
      `There is no image recipe called ${JSON.stringify(name)}; there is ${names.join(', ') || 'none'}.`,
    );
  }
  const directory = join(root, name);
  const { os, base } = await readPlan(directory);
  const own = await hashDirectory(directory, (path) => path !== VM && !path.startsWith(`${VM}/`));
  const under = base === undefined ? undefined : await loadRecipe(base, root);
  return {
    name: basename(directory),
    directory,
    os,
    layers: [...(under?.layers ?? []), directory],
    hash: under === undefined ? own : join256(under.hash, own),
  };
}

/** Like {@link loadRecipe}, for a virtual machine: the additions of the `vm` folders come last. */
export async function loadVmRecipe(name: string, root: string = RECIPES): Promise<VmRecipe> {
  const recipe = await loadRecipe(name, root);
  const { os, layers } = recipe;
  const folders = layers.map((layer) => join(layer, VM)).filter((folder) => existsSync(folder));
  const hashes = await Promise.all(folders.map((folder) => hashDirectory(folder, () => true)));
  const lists = await Promise.all(folders.map(readList));
  const added = lists.flat().flatMap(({ packages }) => packages);
  return {
    name: recipe.name,
    os,
    layers: [...layers, ...folders],
    packages: [...(await readPackages(recipe)), ...added],
    hash: join256(recipe.hash, ...hashes),
  };
}

/** The current hash of a recipe of this package; an image with another one is stale. */
export async function recipeHash(name: string): Promise<string> {
  return (await loadRecipe(name)).hash;
}

const join256 = (...hashes: string[]) =>
  createHash('sha256').update(hashes.join('\n')).digest('hex');

/**
 * The packages of a recipe: first those of the selected sections of its base, then its own list. In a
 * list, `#` starts a comment.
 */
export async function readPackages(recipe: Recipe): Promise<string[]> {
  const { sections } = await readPlan(recipe.directory);
  const own = await readList(recipe.directory);
  const base = recipe.layers.at(-2);
  if (base === undefined) return own.flatMap(({ packages }) => packages);
  const inherited = await readList(base);
  const selected = sections.flatMap((title) => {
    const section = inherited.find((each) => each.title === title);
    if (section === undefined) throw new Error(`${base}/packages has no section "${title}".`);
    return section.packages;
  });
  return [...new Set([...selected, ...own.flatMap(({ packages }) => packages)])];
}

interface Section {
  /** The first comment of the paragraph, up to a colon. */
  readonly title: string;
  readonly packages: readonly string[];
}

async function readList(directory: string): Promise<Section[]> {
  const text = await readFile(join(directory, 'packages'), 'utf8').catch(noFile);
  return text.split(/\n\s*\n/).map((paragraph) => ({
    title: /^\s*#\s*([^:\n]*)/.exec(paragraph)?.[1]?.trim() ?? '',
    packages: paragraph.replace(/#.*/g, '').split(/\s+/).filter(Boolean),
  }));
}

/** A folder without a list adds no packages. */
function noFile(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}
