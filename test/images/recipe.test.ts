import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withContext } from '../../src/engines/containers/images/store.js';
import {
  listRecipes,
  loadRecipe,
  loadVmRecipe,
  readPackages,
  recipeHash,
} from '../../src/images/recipe.js';

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

test('a package list is its words without comments', async () => {
  expect(await readPackages(await loadRecipe('small', root))).toEqual(['curl', 'git', 'nano']);
});

test('a copy of a recipe has the same hash, for any umask', async () => {
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

test('additions for virtual machines change the hash of those only, not of containers', async () => {
  const container = await hash();
  const before = (await loadVmRecipe('small', root)).hash;
  await mkdir(join(root, 'small/vm/files/etc'), { recursive: true });
  await writeFile(join(root, 'small/vm/files/etc/motd'), 'hello\n');
  const after = await loadVmRecipe('small', root);
  expect(after.hash).not.toBe(before);
  expect(after.layers).toEqual([join(root, 'small'), join(root, 'small/vm')]);
  expect(await hash()).toBe(container);
  await writeFile(join(root, 'small/packages'), 'curl\n');
  expect((await loadVmRecipe('small', root)).hash).not.toBe(after.hash);
});

test('an unknown recipe, or a path as its name, is refused with the known names', async () => {
  await expect(loadRecipe('large', root)).rejects.toThrow('"large"; there is small');
  await expect(loadRecipe('../small', root)).rejects.toThrow('there is small');
});

test('the package contains the Linux recipe', async () => {
  expect(await listRecipes()).toContain('linux');
  expect(await recipeHash('linux')).toBe((await loadRecipe('linux')).hash);
});

describe('a recipe that builds on another', () => {
  beforeEach(async () => {
    const own = join(root, 'larger');
    await mkdir(join(own, 'files/etc'), { recursive: true });
    await writeFile(
      join(root, 'small/packages'),
      '# Tools: all of them\ncurl git\n\n# Games\nnethack\n',
    );
    await writeFile(join(root, 'small/Dockerfile'), 'FROM debian\n');
    await writeFile(join(own, 'packages'), 'wine git\n');
    await writeFile(join(own, 'setup.sh'), 'false\n');
    await writeFile(join(own, 'files/etc/motd'), 'good bye\n');
    await describeIt({ os: 'windows', base: 'small', sections: ['Tools'] });
  });

  const describeIt = (plan: object) =>
    writeFile(join(root, 'larger/recipe.json'), JSON.stringify(plan));

  test("has the packages of the base's named sections, then its own", async () => {
    const recipe = await loadRecipe('larger', root);
    expect(recipe).toMatchObject({
      os: 'windows',
      layers: [join(root, 'small'), join(root, 'larger')],
    });
    expect(await readPackages(recipe)).toEqual(['curl', 'git', 'wine']);
  });

  test('is out of date when its base changes', async () => {
    const before = await hash('larger');
    await writeFile(join(root, 'small/setup.sh'), 'echo\n');
    expect(await hash('larger')).not.toBe(before);
  });

  test('refuses unknown sections and fields', async () => {
    await describeIt({ base: 'small', sections: ['Toys'] });
    const recipe = await loadRecipe('larger', root);
    await expect(readPackages(recipe)).rejects.toThrow('no section "Toys"');
    await describeIt({ bass: 'small' });
    await expect(loadRecipe('larger', root)).rejects.toThrow('recipe.json');
  });

  test('is one build context for Docker; its files replace those of its base', async () => {
    const recipe = await loadRecipe('larger', root);
    await withContext(recipe, async (context) => {
      expect((await readdir(context)).sort()).toEqual([
        'Dockerfile',
        'files',
        'packages',
        'setup.sh',
      ]);
      expect(await readFile(join(context, 'files/etc/motd'), 'utf8')).toBe('good bye\n');
      expect(await readFile(join(context, 'setup.sh'), 'utf8')).toBe('true\n\nfalse\n');
      expect(await readFile(join(context, 'packages'), 'utf8')).toBe('curl\ngit\nwine\n');
    });
  });
});

test('the wait for the desktop is long enough for an emulated guest', async () => {
  for (const name of await listRecipes()) {
    const { directory } = await loadRecipe(name);
    const script = await readFile(join(directory, 'files/usr/lib/vc/painted'), 'utf8');
    expect(script, name).toMatch(/^patience=\$\{VC_PATIENCE:-1\}$/m);
    expect(script, `${name}: a limit that knows no patience`).not.toMatch(
      /timeout \d|SECONDS \+ \d+;/,
    );
  }
});
