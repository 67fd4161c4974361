import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, inject, it, vi } from 'vitest';
import { importRootfs } from '../../../src/engines/podman/import.js';

const { env } = inject('podman');
const podman = async (...args: string[]) =>
  (await execa('podman', ['--cgroup-manager', 'cgroupfs', ...args], { env })).stdout;

let directory: string;
let image: string | undefined;
afterAll(async () => {
  vi.unstubAllEnvs();
  if (image) await podman('rmi', '--force', image);
  await rm(directory, { recursive: true, force: true });
});

it('Podman has the files and the configuration of an imported image', async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-import-'));
  await mkdir(join(directory, 'etc'));
  await writeFile(join(directory, 'etc', 'greeting'), 'hello');
  const tarball = join(directory, 'rootfs.tar');
  await execa('tar', ['-C', directory, '-cf', tarball, 'etc']);
  vi.stubEnv('PATH', env.PATH);
  const config = {
    ...{ Labels: { 'com.example.kind': 'test' }, Env: ['LANG=C.UTF-8'], User: '1000:1000' },
    ...{ WorkingDir: '/home/user', Cmd: ['/init'] },
  };
  image = await importRootfs({ tarball, config }, undefined);
  const found = JSON.parse(await podman('image', 'inspect', '--format', '{{json .Config}}', image));
  expect(found).toEqual(config);
  const mounted = join(await podman('image', 'mount', image), 'etc', 'greeting');
  const { prefix } = inject('podman');
  const [program = '', ...args] = [...prefix, 'cat', mounted];
  expect((await execa(program, args, { env })).stdout).toBe('hello');
  await podman('image', 'unmount', image);
});
