// @module-tag slow
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fields } from '../../../src/cli/output/fields.js';
import { openWorld, type World } from '../support/run.js';

let world: World;
let state: string;
let env: Record<string, string>;
beforeEach(async () => {
  world = await openWorld();
  state = join(world.directory, 'state');
  env = { VC_STATE_DIR: state };
  vi.stubEnv('DOCKER_HOST', 'unix:///nonexistent/docker.sock');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await world.close();
});

const run = (...words: string[]) => world.run(['image', ...words], { env });

/** Installs an imported disk for the engine. */
function install(name: string): string {
  const directory = join(state, 'qemu/images', name);
  mkdirSync(directory, { recursive: true });
  const createdAt = '2026-01-02T03:04:05.000Z';
  const image = { name, os: 'windows', kind: 'disk', createdAt, bytes: 5e6, shell: null };
  writeFileSync(join(directory, 'image.json'), JSON.stringify(image));
  writeFileSync(join(directory, 'disk.qcow2'), '');
  return directory;
}

test('images of all engines are listed, even of unusable ones', async () => {
  install('lab');
  const { code, stdout } = await run('ls');
  expect(code).toBe(0);
  expect(stdout).toBe(
    'NAME\tENGINE\tOS\tKIND\tSIZE\tCREATED\tSTATE\nlab\tqemu\twindows\tdisk\t5.0 MB\t2026-01-02T03:04:05.000Z\tready\n',
  );
  expect(JSON.parse((await run('ls', '--json')).stdout).images).toMatchObject([
    { name: 'lab', engine: 'qemu', kind: 'disk', bytes: 5e6, state: 'ready' },
  ]);
});

test('images can be listed by name and with selected fields', async () => {
  install('lab');
  install('other');
  const chosen = JSON.parse((await run('ls', '--json=name,bytes,key')).stdout);
  expect(chosen).toEqual({
    images: [
      { name: 'lab', bytes: 5e6, key: null },
      { name: 'other', bytes: 5e6, key: null },
    ],
  });
  const all = JSON.parse((await run('ls', '--json')).stdout).images[0];
  expect(Object.keys(all).sort()).toEqual([...fields.image].sort());
  expect((await run('ls', '-q')).stdout).toBe('lab\nother\n');
  const unknown = await run('ls', '--json=nmae');
  expect(unknown.code).toBe(2);
  expect(JSON.parse(unknown.stderr).error.message).toContain('did you mean name?');
});

test('several images are removed together, or none if a name is unknown', async () => {
  const [lab, other] = [install('lab'), install('other')];
  const dry = await run('rm', 'lab', 'other', '--dry-run');
  expect(dry).toMatchObject({ code: 0, stdout: '' });
  expect(dry.stderr).toContain('would remove the image lab for qemu (disk, 5.0 MB)\n');
  expect(dry.stderr).toContain('would remove the image other for qemu (disk, 5.0 MB)\n');
  expect((await run('rm', 'lab', 'nothing', '--yes')).code).toBe(5);
  expect([lab, other].map((path) => existsSync(path))).toEqual([true, true]);
  const { stdout } = await run('rm', 'lab', 'other', '--yes', '--json');
  expect(JSON.parse(stdout)).toEqual([
    { name: 'lab', answer: { success: true } },
    { name: 'other', answer: { success: true } },
  ]);
  expect([lab, other].map((path) => existsSync(path))).toEqual([false, false]);
  expect((await run('rm', 'lab', '--yes', '-q')).stdout).toBe('');
});

test('an image is removed after a confirmation', async () => {
  const directory = install('lab');
  expect((await run('rm', 'lab')).code).toBe(2);
  const no = await world.run(['image', 'rm', 'lab'], { env, terminal: true, stdin: 'no\n' });
  expect(no.stderr).toContain('Remove the image lab for qemu (disk, 5.0 MB)? [y/N]');
  expect(existsSync(directory)).toBe(true);
  expect(await run('rm', 'lab', '--yes')).toMatchObject({
    code: 0,
    stderr: 'removed the image lab for qemu\n',
  });
  expect(existsSync(directory)).toBe(false);
  expect((await run('rm', 'lab', '--yes')).code).toBe(5);
  install('lab');
  expect((await run('rm', 'lab', '--engine', 'docker', '--yes')).code).toBe(5);
});

test.each([
  [[], 'needs either --ssh-user and --ssh-key, or --no-shell'],
  [['--ssh-user', 'me'], 'needs either --ssh-user and --ssh-key, or --no-shell'],
  [
    ['--ssh-user', 'me', '--ssh-key', 'k', '--no-shell'],
    'needs either --ssh-user and --ssh-key, or --no-shell',
  ],
  [['--ssh-key', 'k', '--no-shell'], 'needs either --ssh-user and --ssh-key, or --no-shell'],
  [['--no-shell', '--firmware', 'coreboot'], '--firmware: must be uefi or bios'],
] as [string[], string][])('importing a disk with %j is a usage error', async (flags, message) => {
  const { code, stderr } = await run('import', 'x', 'disk.img', ...flags);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('an invalid name is refused before anything is copied', async () => {
  for (const name of ['../up', 'Large', '.hidden', 'a b']) {
    expect((await run('import', name, 'disk.img', '--no-shell')).code).toBe(2);
  }
  expect(existsSync(join(state, 'qemu/images'))).toBe(false);
});

test('a template is listed with the operating system of its image', async () => {
  const key = 'a'.repeat(24);
  const directory = join(state, 'qemu/templates', key);
  mkdirSync(directory, { recursive: true });
  const template = {
    ...{
      key,
      image: 'lab',
      imageIdentity: 'i',
      os: 'windows',
      cpu: 2,
      ram: 4,
      layers: [],
      memory: 'saved',
    },
    ...{ resolution: { width: 800, height: 600 }, qemu: '7.2.0', hardware: '1' },
    createdAt: '2026-01-02T03:04:05.000Z',
  };
  writeFileSync(join(directory, 'template.json'), JSON.stringify(template));
  const shape = { key, cpu: 2, ram: 4, resolution: { width: 800, height: 600 } };
  const listed = { name: 'lab', kind: 'template', os: 'windows', ...shape };
  expect(JSON.parse((await run('ls', '--json')).stdout).images).toMatchObject([listed]);
});

test('a service is asked with one request', async () => {
  world.service.received.length = 0;
  world.service.on('GET /images', { images: [], failures: [] });
  expect(await world.run(['image', 'ls'])).toMatchObject({ code: 0 });
  expect(world.service.received.map(({ url }) => url)).toEqual(['/api/images']);
});
