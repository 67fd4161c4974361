import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listRecipes, loadRecipe, readPackages, recipeHash } from '../../src/images/recipe.js';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vc-recipe-'));
  const recipe = join(root, 'small');
  await mkdir(join(recipe, 'files/etc'), { recursive: true });
  await writeFile(join(recipe, 'packages'), '# Tools\ncurl git # both\n\nnano\n');
  await writeFile(join(recipe, 'setup.sh'), 'true\n', { mode: 0o755 });
  await writeFile(join(recipe, 'files/etc/motd'), 'hello\n');
  await symlink('motd', join(recipe, 'files/etc/issue'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

const hash = async (name = 'small') => (await loadRecipe(name, root)).hash;

test('a package list is words without comments', async () => {
  expect(await readPackages(await loadRecipe('small', root))).toEqual(['curl', 'git', 'nano']);
});

test('a copy of a recipe has the same hash, whatever the umask of the copy', async () => {
  const before = await hash();
  await cp(join(root, 'small'), join(root, 'copy'), { recursive: true, verbatimSymlinks: true });
  await chmod(join(root, 'copy/packages'), 0o600);
  await chmod(join(root, 'copy/setup.sh'), 0o700);
  expect(await hash('copy')).toBe(before);
  expect(before).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ['content', (dir: string) => writeFile(join(dir, 'packages'), 'curl\n')],
  ['a name', (dir: string) => cp(join(dir, 'packages'), join(dir, 'files/packages'))],
  ['an executable bit', (dir: string) => chmod(join(dir, 'setup.sh'), 0o644)],
  [
    'a link',
    async (dir: string) => {
      await rm(join(dir, 'files/etc/issue'));
      await symlink('elsewhere', join(dir, 'files/etc/issue'));
    },
  ],
])('%s changes the hash', async (_what, change) => {
  const before = await hash();
  await change(join(root, 'small'));
  expect(await hash()).not.toBe(before);
});

test('an unknown recipe, or a name that is a path, is refused with the names there are', async () => {
  await expect(loadRecipe('large', root)).rejects.toThrow('"large"; there is small');
  await expect(loadRecipe('../small', root)).rejects.toThrow('there is small');
});

test('the package carries the Linux recipe', async () => {
  expect(await listRecipes()).toContain('linux');
  expect(await recipeHash('linux')).toBe((await loadRecipe('linux')).hash);
});
