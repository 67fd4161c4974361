// @module-tag slow
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLayer, diskSize } from '../../../../src/engines/qemu/disk/qcow2.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-qcow2-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const hasTool = await execa('qemu-img', ['--version'], { reject: false }).then((r) => !r.failed);
if (!hasTool) console.warn('qemu-img is not installed: layers are not checked with it');

describe('a new layer', () => {
  it('is not created over an existing file', async () => {
    const layer = { name: 'top.qcow2', backing: 'base.qcow2', bytes: 1 << 30 };
    await createLayer(directory, layer);
    await expect(createLayer(directory, layer)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await diskSize(join(directory, 'top.qcow2'))).toBe(1 << 30);
  });

  it.runIf(hasTool)('is an empty disk over its backing file to QEMU', async () => {
    const cwd = directory;
    await execa('qemu-img', ['create', '-f', 'qcow2', 'base.qcow2', '5G'], { cwd });
    for (const bytes of [5 * 2 ** 30, 64 * 2 ** 30, 6 * 2 ** 40, 512 * 1001]) {
      const name = `top-${bytes}.qcow2`;
      await createLayer(directory, { name, backing: 'base.qcow2', bytes });
      await execa('qemu-img', ['check', name], { cwd });
      const { stdout } = await execa('qemu-img', ['info', '--output=json', name], { cwd });
      expect(JSON.parse(stdout)).toMatchObject({
        'virtual-size': bytes,
        'backing-filename': 'base.qcow2',
        'backing-filename-format': 'qcow2',
      });
      expect(await diskSize(join(directory, name))).toBe(bytes);
    }
  });

  it.runIf(hasTool)('reads through to its backing file and keeps writes', async () => {
    const cwd = directory;
    const io = (file: string, ...commands: string[]) =>
      execa('qemu-io', [...commands.flatMap((c) => ['-c', c]), file], { cwd });
    await execa('qemu-img', ['create', '-f', 'qcow2', 'base.qcow2', '1G'], { cwd });
    await io('base.qcow2', 'write -P 1 0 128k', 'write -P 2 700M 64k');
    await createLayer(cwd, { name: 'top.qcow2', backing: 'base.qcow2', bytes: 2 ** 30 });
    await io('top.qcow2', 'write -P 3 64k 64k');
    const { stdout } = await io(
      'top.qcow2',
      'read -P 1 0 64k',
      'read -P 3 64k 64k',
      'read -P 2 700M 64k',
    );
    expect(stdout).not.toContain('Pattern verification failed');
    await execa('qemu-img', ['check', 'top.qcow2'], { cwd });
    expect((await io('base.qcow2', 'read -P 1 64k 64k')).stdout).not.toContain('failed');
  });
});
