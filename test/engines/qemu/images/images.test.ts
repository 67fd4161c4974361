import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findImage, listImages } from '../../../../src/engines/qemu/images/installed.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-images-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function install(name: string, about: object, files: readonly string[]): Promise<void> {
  await mkdir(join(directory, name));
  for (const file of files) await writeFile(join(directory, name, file), 'content');
  await writeFile(join(directory, name, 'image.json'), JSON.stringify(about));
}

const about = {
  name: 'linux',
  os: 'linux',
  kind: 'vc',
  recipeHash: 'abc',
  createdAt: '2026-01-02T03:04:05Z',
  bytes: 7,
  shell: { user: 'user' },
};

describe('installed images', () => {
  it('are listed if they are complete', async () => {
    await install('linux', about, ['disk.qcow2', 'kernel', 'initrd', 'cmdline']);
    await install('half', { ...about, name: 'half' }, ['kernel']);
    await mkdir(join(directory, 'empty'));
    await mkdir(join(directory, '.building'));
    expect(await listImages(directory)).toEqual([
      {
        name: 'linux',
        os: 'linux',
        bytes: 7,
        createdAt: new Date('2026-01-02T03:04:05Z'),
        recipeHash: 'abc',
      },
    ]);
  });

  it('get a new identity when the disk or command line changes', async () => {
    await install('linux', about, ['disk.qcow2', 'kernel', 'initrd', 'cmdline']);
    const before = await findImage(directory, 'linux');
    expect((await findImage(directory, 'linux')).identity).toBe(before.identity);
    await writeFile(join(directory, 'linux', 'cmdline'), 'quiet');
    const after = await findImage(directory, 'linux');
    expect(after.identity).not.toBe(before.identity);
    expect(after.commandLine).toBe('quiet');
  });

  it.each(['nothing', '../linux', '', '.', 'a/b', '-x', 'x'.repeat(100)])(
    'are missing for the name %j',
    async (name) => {
      await expect(findImage(directory, name)).rejects.toMatchObject({ code: 'image_missing' });
    },
  );

  it('are an empty list if the directory is missing', async () => {
    expect(await listImages(join(directory, 'nowhere'))).toEqual([]);
  });
});
