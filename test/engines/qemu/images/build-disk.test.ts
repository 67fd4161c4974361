// @module-tag slow
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildDisk } from '../../../../src/engines/qemu/images/build-disk.js';
import { installDisk } from '../../../../src/engines/qemu/images/store.js';

let cacheDirectory: string;

beforeEach(async () => {
  cacheDirectory = await mkdtemp(join(tmpdir(), 'vc-cache-'));
});

afterEach(() => rm(cacheDirectory, { recursive: true, force: true }));

const FILES = ['disk.qcow2', 'kernel', 'initrd', 'cmdline'];
const images = () => join(cacheDirectory, 'images');
const versions = async () => (await readdir(images())).filter((name) => name.startsWith('linux-'));

function builder() {
  const state = { builds: 0 };
  const build = async (_recipe: unknown, directory: string) => {
    state.builds += 1;
    for (const file of FILES) await writeFile(join(directory, file), file);
    await sleep(30);
  };
  return { state, build };
}

test('a disk is built once for concurrent requests, and then cached', async () => {
  const { state, build } = builder();
  const options = { cacheDirectory, build };
  const all = await Promise.all([buildDisk('linux', options), buildDisk('linux', options)]);
  expect(all[1]).toEqual(all[0]);
  expect(state.builds).toBe(1);
  expect(basename(dirname(all[0].disk))).toBe(`linux-vm-${all[0].recipeHash}`);
  expect((await readdir(dirname(all[0].disk))).sort()).toEqual([...FILES].sort());
});

test('the remains of a failed or crashed build are not used', async () => {
  const fail = async (_recipe: unknown, directory: string) => {
    await writeFile(join(directory, 'disk.qcow2'), 'half');
    throw new Error('no space left');
  };
  await expect(buildDisk('linux', { cacheDirectory, build: fail })).rejects.toThrow('no space');
  expect(await versions()).toEqual(['linux-vm.lock']);

  const { build } = builder();
  const { disk } = await buildDisk('linux', { cacheDirectory, build });
  await rm(dirname(disk), { recursive: true });
  await mkdir(`${dirname(disk)}.partial`);
  await writeFile(join(`${dirname(disk)}.partial`, 'rubbish'), 'half');
  expect(await readFile((await buildDisk('linux', { cacheDirectory, build })).disk, 'utf8')).toBe(
    'disk.qcow2',
  );
  expect(await readdir(dirname(disk))).not.toContain('rubbish');
});

test('a new disk replaces older disks, but no root file systems of containers', async () => {
  const old = `linux-vm-${'a'.repeat(64)}`;
  const container = `linux-${'b'.repeat(64)}`;
  for (const name of [old, container]) await mkdir(join(images(), name), { recursive: true });
  await buildDisk('linux', { cacheDirectory, build: builder().build });
  expect(await versions()).toContain(container);
  expect(await versions()).not.toContain(old);
});

const NOBODY = 65_534;
const asRoot = test.runIf(process.geteuid?.() === 0);

test('a disk that others can have written is built again', async () => {
  const { state, build } = builder();
  const options = { cacheDirectory, build };
  const { disk, kernel } = await buildDisk('linux', options);
  const changes = [
    () => chmod(kernel, 0o664),
    () => chmod(dirname(disk), 0o777),
    () => rm(join(dirname(disk), 'cmdline')),
  ];
  for (const [index, change] of changes.entries()) {
    await change();
    await buildDisk('linux', options);
    expect(state.builds).toBe(index + 2);
  }
  await buildDisk('linux', options);
  expect(state.builds).toBe(changes.length + 1);
});

test('a disk is kept whatever the umask was when it was built', async () => {
  const { state, build } = builder();
  const before = process.umask(0);
  try {
    await buildDisk('linux', { cacheDirectory, build });
  } finally {
    process.umask(before);
  }
  await buildDisk('linux', { cacheDirectory, build });
  expect(state.builds).toBe(1);
});

asRoot('a disk of another user is built again, and never linked into the store', async () => {
  const { build } = builder();
  const built = await buildDisk('linux', { cacheDirectory, build });
  for (const file of FILES) {
    const path = join(dirname(built.disk), file);
    await writeFile(path, 'of another user');
    await chown(path, NOBODY, NOBODY);
  }
  await expect(installDisk(built, join(cacheDirectory, 'state'))).rejects.toMatchObject({
    code: 'forbidden',
  });
  const { disk } = await buildDisk('linux', { cacheDirectory, build });
  expect(await readFile(disk, 'utf8')).toBe('disk.qcow2');
  expect((await stat(disk)).uid).toBe(0);
});

asRoot('a cache in a directory of another user is refused, and nothing is written', async () => {
  const { state, build } = builder();
  const home = join(cacheDirectory, 'home');
  await mkdir(home);
  await chown(home, NOBODY, NOBODY);
  const options = { cacheDirectory: join(home, '.cache'), build };
  await expect(buildDisk('linux', options)).rejects.toMatchObject({
    code: 'forbidden',
    remedy: expect.stringContaining('VC_CACHE_DIR'),
  });
  expect(state.builds).toBe(0);
  expect(await readdir(home)).toEqual([]);
});
