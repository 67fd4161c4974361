import { execFileSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { computer, openWorld, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
  await writeFile(join(world.directory, 'a.txt'), 'a');
});
afterEach(() => world.close());

test.each(['shop/nope:', 'shop/nope:notes', 'shop/nope:/tmp/'])(
  'the error of a copy to %s names the missing computer',
  async (target) => {
    const base = '/projects/shop/computers/nope';
    const message = 'There is no computer "nope".';
    for (const route of [`GET ${base}`, `GET ${base}/files/entry`, `PUT ${base}/files`]) {
      world.service.fail(route, 404, 'not_found', message, 'See: vc ls -p shop');
    }
    const { code, stderr } = await world.run(['computer', 'cp', 'a.txt', target]);
    expect(stderr).toBe(`error: ${message}\n       See: vc ls -p shop\n`);
    expect(code).toBe(5);
  },
);

test('the error of a copy into a missing directory names it', async () => {
  const base = '/projects/demo/computers/desktop';
  world.service.on(`GET ${base}`, computer);
  world.service.fail(`GET ${base}/files/entry`, 404, 'not_found', 'no such path');
  const { code, stderr } = await world.run(['computer', 'cp', 'a.txt', 'demo/desktop:none/']);
  expect(stderr).toContain('error: none/ is not a directory in the computer');
  expect(code).toBe(2);
});

test.each([
  [['a.txt', 'demo/desktop'], 'demo/desktop', 'a.txt demo/desktop:'],
  [['demo/desktop', 'b.txt'], 'demo/desktop', 'demo/desktop: b.txt'],
])('%j suggests the colon after the name of the computer', async (paths, name, meant) => {
  world.service.on('GET /projects/demo/computers/desktop', computer);
  expect(await world.run(['cp', ...paths])).toMatchObject({
    code: 2,
    stderr: [
      `error: no path is in a computer, but ${name} is the name of one`,
      `       write a colon after the name of a computer: vc cp ${meant}\n`,
    ].join('\n'),
  });
});

test('a bare name is looked up for that as well', async () => {
  world.service.on('GET /projects/default/computers/desktop', computer);
  const { stderr } = await world.run(['cp', 'a.txt', 'desktop']);
  expect(stderr).toContain(' vc cp a.txt desktop:\n');
});

test('a local file that has the name of a computer is meant as that', async () => {
  world.service.on('GET /projects/default/computers/desktop', computer);
  await writeFile(join(world.directory, 'desktop'), 'b');
  const { stderr, code } = await world.run(['cp', 'a.txt', 'desktop']);
  expect(stderr).toContain('error: no path names a computer: write COMPUTER:PATH');
  expect(code).toBe(2);
});

test('a local pipe as source is refused at once', async () => {
  execFileSync('mkfifo', [join(world.directory, 'pipe')]);
  const { code, stderr } = await world.run(['cp', 'pipe', 'demo/desktop:file']);
  expect(stderr).toBe(
    'error: cannot read pipe: not a regular file\n       send what it prints on stdin: vc cp - COMPUTER:PATH < pipe\n',
  );
  expect(code).toBe(2);
});

test('a copy follows a link that is its target, but none in a directory', async () => {
  const base = '/projects/demo/computers/desktop';
  const file = { name: 'a', type: 'file', size: 3, mode: '644', modified_at: null };
  world.service.on(`GET ${base}/entry`, { ...file, path: '/a' });
  world.service.handle(`GET ${base}/files`, (_, response) => response.end('new'));
  await symlink('a.txt', join(world.directory, 'link'));
  expect((await world.run(['cp', 'demo/desktop:a', 'link'])).code).toBe(0);
  expect(await readFile(join(world.directory, 'a.txt'), 'utf8')).toBe('new');
  expect(lstatSync(join(world.directory, 'link')).isSymbolicLink()).toBe(true);

  const entries = ['link', 'pipe'].map((name) => ({ ...file, name }));
  world.service.on(`GET ${base}/entry`, { ...file, type: 'directory', mode: '755', path: '/d' });
  world.service.on(`GET ${base}/directory`, { path: '/d', entries });
  const into = join(world.directory, 'into');
  await mkdir(join(into, 'd'), { recursive: true });
  await symlink('../../a.txt', join(into, 'd/link'));
  execFileSync('mkfifo', [join(into, 'd/pipe')]);
  world.service.handle(`GET ${base}/files`, (_, response) => response.end('newer'));
  const { code, stderr } = await world.run(['cp', 'demo/desktop:d', 'into']);
  expect(stderr).toContain('pipe is not a regular file');
  expect(code).toBe(1);
  expect(await readFile(join(world.directory, 'a.txt'), 'utf8')).toBe('new');
  expect(await readFile(join(into, 'd/link'), 'utf8')).toBe('newer');
  expect(lstatSync(join(into, 'd/pipe')).isFIFO()).toBe(true);
});
