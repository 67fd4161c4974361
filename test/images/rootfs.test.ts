// @module-tag slow
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Recipe } from '../../src/images/recipe.js';
import { buildRootfs } from '../../src/images/rootfs.js';
import { withFileLock } from '../../src/lib/fs/file-lock.js';

let cacheDirectory: string;

beforeEach(async () => {
  cacheDirectory = await mkdtemp(join(tmpdir(), 'vc-cache-'));
});

afterEach(() => rm(cacheDirectory, { recursive: true, force: true }));

const recipe = (digit: string): Recipe => ({
  name: 'small',
  directory: '/nowhere',
  os: 'linux',
  layers: ['/nowhere'],
  hash: digit.repeat(64),
});
const versions = async () =>
  (await readdir(join(cacheDirectory, 'images'))).filter((name) => name.startsWith('small-'));

/** Counts builds; each writes its number, slowly enough for others to start meanwhile. */
function builder() {
  const state = { builds: 0, running: 0, most: 0 };
  const build = async (_recipe: Recipe, target: string) => {
    state.builds += 1;
    state.running += 1;
    state.most = Math.max(state.most, state.running);
    await writeFile(target, `build ${state.builds}`);
    await sleep(30);
    state.running -= 1;
  };
  return { state, build };
}

test('a root file system is built once and then cached', async () => {
  const { state, build } = builder();
  const first = await buildRootfs(recipe('a'), { cacheDirectory, build });
  const second = await buildRootfs(recipe('a'), { cacheDirectory, build });
  expect(second).toEqual(first);
  expect(first.bytes).toBe('build 1'.length);
  expect(state.builds).toBe(1);
});

test('a tarball gets its name only when it is complete', async () => {
  const directory = join(cacheDirectory, 'images', `small-${'a'.repeat(64)}`);
  let during: string[] = [];
  const build = async (_recipe: Recipe, target: string) => {
    await writeFile(target, 'half');
    during = await readdir(directory);
    await writeFile(target, 'whole');
  };
  const { tarball } = await buildRootfs(recipe('a'), { cacheDirectory, build });
  expect(during).toHaveLength(1);
  expect(join(directory, during[0] ?? '')).not.toBe(tarball);
  expect(await readFile(tarball, 'utf8')).toBe('whole');
});

test('one of several concurrent builds runs, and all get its result', async () => {
  const { state, build } = builder();
  const results = await Promise.all(
    Array.from({ length: 5 }, () => buildRootfs(recipe('a'), { cacheDirectory, build })),
  );
  expect(state).toEqual({ builds: 1, running: 0, most: 1 });
  expect(new Set(results.map((result) => result.tarball)).size).toBe(1);
});

test('leftovers of a crashed build are not used', async () => {
  const directory = join(cacheDirectory, 'images', `small-${'a'.repeat(64)}`);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'rootfs.tar.partial'), 'half');
  const { build } = builder();
  const { tarball } = await buildRootfs(recipe('a'), { cacheDirectory, build });
  expect(await readFile(tarball, 'utf8')).toBe('build 1');
  expect(await readdir(directory)).toEqual(['rootfs.tar']);
});

test('a failed build leaves nothing behind, and the next one can succeed', async () => {
  const fail = async (_recipe: Recipe, target: string) => {
    await writeFile(target, 'half');
    throw new Error('no space left');
  };
  await expect(buildRootfs(recipe('a'), { cacheDirectory, build: fail })).rejects.toThrow(
    'no space left',
  );
  expect(await versions()).toEqual([]);
  await buildRootfs(recipe('a'), { cacheDirectory, build: builder().build });
});

test('a new version replaces the old one only when its build is complete', async () => {
  const { build } = builder();
  await buildRootfs(recipe('a'), { cacheDirectory, build });
  const fail = () => Promise.reject(new Error('broken'));
  await expect(buildRootfs(recipe('b'), { cacheDirectory, build: fail })).rejects.toThrow();
  expect(await versions()).toEqual([`small-${'a'.repeat(64)}`]);
  await buildRootfs(recipe('b'), { cacheDirectory, build });
  expect(await versions()).toEqual([`small-${'b'.repeat(64)}`]);
});

test('waiting for the lock can be aborted', async () => {
  const path = join(cacheDirectory, 'lock');
  const abort = new AbortController();
  await withFileLock(path, undefined, async () => {
    const waiting = withFileLock(path, abort.signal, async () => 'held');
    abort.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
  });
  expect(await withFileLock(path, undefined, async () => 'free')).toBe('free');
});

test('a tarball that others can have written is built again', async () => {
  const { state, build } = builder();
  const { tarball } = await buildRootfs(recipe('a'), { cacheDirectory, build });
  await chmod(tarball, 0o666);
  await buildRootfs(recipe('a'), { cacheDirectory, build });
  expect(state.builds).toBe(2);
  if (process.geteuid?.() === 0) {
    await chown(tarball, 65_534, 65_534);
    await buildRootfs(recipe('a'), { cacheDirectory, build });
    expect(state.builds).toBe(3);
  }
  await buildRootfs(recipe('a'), { cacheDirectory, build });
  expect(await readFile(tarball, 'utf8')).toBe(`build ${state.builds}`);
});
