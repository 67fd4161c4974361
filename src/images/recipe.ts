import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the recipes are in this package, in the sources as well as in `dist`. */
const RECIPES = fileURLToPath(new URL('../../images/', import.meta.url));

const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** How a machine image is made: a folder with `packages`, `files/` and `setup.sh`. */
export interface Recipe {
  readonly name: string;
  /** Absolute path of the folder. */
  readonly directory: string;
  /** SHA-256 in hexadecimal digits. The same sources give the same hash on every machine. */
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
 * an `Error` that lists what there is when no recipe has this name.
 */
export async function loadRecipe(name: string, root: string = RECIPES): Promise<Recipe> {
  const names = await listRecipes(root);
  if (!names.includes(name)) {
    throw new Error(
      `There is no image recipe called ${JSON.stringify(name)}; there is ${names.join(', ') || 'none'}.`,
    );
  }
  const directory = join(root, name);
  return { name: basename(directory), directory, hash: await hashDirectory(directory) };
}

/** The present hash of a recipe of this package: an image with another one is out of date. */
export async function recipeHash(name: string): Promise<string> {
  return (await loadRecipe(name)).hash;
}

/** The names in the recipe's package list: words, without what follows a `#` in a line. */
export async function readPackages(recipe: Recipe): Promise<string[]> {
  const text = await readFile(join(recipe.directory, 'packages'), 'utf8');
  return text.split('\n').flatMap((line) => line.replace(/#.*/, '').split(/\s+/).filter(Boolean));
}

/**
 * Over the sorted relative paths: kind, executable or not, content. Nothing else of the mode
 * counts, because it depends on the umask under which the sources were checked out.
 */
async function hashDirectory(directory: string): Promise<string> {
  const hash = createHash('sha256');
  const paths = await readdir(directory, { recursive: true });
  for (const path of paths.sort()) {
    await hashEntry(hash, path, join(directory, path));
  }
  return hash.digest('hex');
}

async function hashEntry(hash: Hash, path: string, full: string): Promise<void> {
  const stats = await lstat(full);
  if (stats.isSymbolicLink()) {
    hash.update(`link\0${path}\0${await readlink(full)}\0`);
  } else if (stats.isFile()) {
    const kind = (stats.mode & 0o100) === 0 ? 'file' : 'program';
    hash.update(`${kind}\0${path}\0${stats.size}\0`);
    for await (const chunk of createReadStream(full)) {
      hash.update(chunk);
    }
  }
}
