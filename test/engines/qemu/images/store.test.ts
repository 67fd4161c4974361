import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listImages, readImage } from '../../../../src/engines/qemu/images/installed.js';
import {
  imagesDirectory,
  installDisk,
  removeImage,
} from '../../../../src/engines/qemu/images/store.js';

let scratch: string;
let stateDirectory: string;

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vc-store-'));
  stateDirectory = join(scratch, 'state');
});

afterEach(() => rm(scratch, { recursive: true, force: true }));

async function built(version: string) {
  const directory = join(scratch, version);
  await mkdir(directory);
  const file = async (name: string) => {
    await writeFile(join(directory, name), `${name} of ${version}`);
    return join(directory, name);
  };
  return {
    name: 'linux',
    os: 'linux' as const,
    recipeHash: version,
    disk: await file('disk.qcow2'),
    kernel: await file('kernel'),
    initrd: await file('initrd'),
    cmdline: await file('cmdline'),
  };
}

const shown = async () =>
  (await readdir(imagesDirectory(stateDirectory))).filter((name) => name !== '.lock');

test('installs, finds, lists and removes a built disk, without a copy', async () => {
  expect(await listImages(imagesDirectory(stateDirectory))).toEqual([]);
  const disk = await built('a');
  const image = await installDisk(disk, stateDirectory);
  expect(image).toMatchObject({ name: 'linux', kind: 'vc', os: 'linux', recipeHash: 'a' });
  expect(image.shell).toEqual({ user: 'user' });
  expect(await readImage(imagesDirectory(stateDirectory), 'linux')).toEqual(image);
  expect(await listImages(imagesDirectory(stateDirectory))).toMatchObject([{ name: 'linux' }]);
  expect((await stat(join(image.directory, 'disk.qcow2'))).ino).toBe((await stat(disk.disk)).ino);
  expect((await stat(imagesDirectory(stateDirectory))).mode & 0o777).toBe(0o700);

  await removeImage(stateDirectory, 'linux');
  await removeImage(stateDirectory, 'linux');
  expect(await shown()).toEqual([]);
  expect(await readFile(disk.disk, 'utf8')).toBe('disk.qcow2 of a');
});

test('replaces an older build and keeps the same one', async () => {
  const old = await built('a');
  await installDisk(old, stateDirectory);
  const again = await installDisk(old, stateDirectory);
  const image = await installDisk(await built('b'), stateDirectory);
  expect(image.createdAt >= again.createdAt).toBe(true);
  expect(await readFile(join(image.directory, 'kernel'), 'utf8')).toBe('kernel of b');
  expect(await shown()).toEqual(['linux']);
});

test('ignores the remains of a crash; the next change removes them', async () => {
  const root = imagesDirectory(stateDirectory);
  for (const name of ['.new-1', '.removing-2', 'broken', 'half']) {
    await mkdir(join(root, name), { recursive: true });
  }
  await writeFile(join(root, 'broken', 'image.json'), '{"name":');
  expect(await listImages(imagesDirectory(stateDirectory))).toEqual([]);
  expect(await readImage(imagesDirectory(stateDirectory), 'broken')).toBeUndefined();
  await installDisk(await built('a'), stateDirectory);
  expect((await shown()).sort()).toEqual(['broken', 'half', 'linux']);
});

test('keeps the old image when an installation fails', async () => {
  const image = await installDisk(await built('a'), stateDirectory);
  const bad = { ...(await built('b')), initrd: join(scratch, 'missing') };
  await expect(installDisk(bad, stateDirectory)).rejects.toThrow('missing');
  expect(await readImage(imagesDirectory(stateDirectory), 'linux')).toEqual(image);
  expect(await shown()).toEqual(['linux']);
});

test.each(['', '..', '../x', 'a/b', 'A', '-a', '.lock', 'a'.repeat(33), 'a\n', 'a b'])(
  'the name %j is refused and finds nothing',
  async (name) => {
    expect(await readImage(imagesDirectory(stateDirectory), name)).toBeUndefined();
    await expect(removeImage(stateDirectory, name)).rejects.toThrow("cannot be an image's name");
  },
);
