import { execFileSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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
  expect(stderr).toContain('make it: vc exec COMPUTER -- mkdir -p none/');
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

describe('to several computers', () => {
  const named = (name: string) => ({ ...computer, name, id: `cmp_${name.padEnd(20, '0')}` });
  const at = (name: string) => `/computers/${named(name).id}`;
  beforeEach(() => {
    const computers = [named('desk'), named('agent'), { ...named('off'), status: 'stopped' }];
    world.service.on('GET /computers', { computers, next_cursor: null });
    for (const name of ['desk', 'agent']) {
      const directory = { name: 'notes', type: 'directory', size: 0, mode: '755', path: '/notes' };
      world.service.on(`GET ${at(name)}/entry`, directory);
      world.service.on(`PUT ${at(name)}/files`, { success: true, path: '/notes/a.txt', size: 1 });
    }
  });

  test.each([[['-l', 'team=qa']], [['--all']]])('a file is copied with %j', async (selection) => {
    const { code, stderr } = await world.run(['cp', ...selection, 'a.txt', ':notes']);
    expect(stderr.split('\n').sort()).toEqual([
      ...['', 'copied 1 file, 1 B to demo/agent', 'copied 1 file, 1 B to demo/desk'],
    ]);
    expect(code).toBe(0);
    const puts = world.service.received.filter(({ method }) => method === 'PUT');
    expect(puts.map(({ url }) => url).sort()).toEqual(
      ['agent', 'desk'].map((name) => `/api${at(name)}/files?path=notes%2Fa.txt&mode=644`),
    );
  });

  test('one that fails is named, and the others get the file', async () => {
    world.service.fail(`PUT ${at('desk')}/files`, 400, 'invalid_request', 'The disk is full.');
    const { code, stderr } = await world.run(['cp', '--all', 'a.txt', ':notes']);
    expect(stderr).toContain('copied 1 file, 1 B to demo/agent\n');
    expect(stderr).toContain('error: demo/desk: ');
    expect(stderr).toContain('The disk is full.\n');
    expect(code).toBe(1);
    const { stdout } = await world.run(['cp', '--all', 'a.txt', ':notes', '--json']);
    expect(JSON.parse(stdout)).toEqual([
      { name: 'demo/desk', error: expect.objectContaining({ code: 'invalid_request' }) },
      { name: 'demo/agent', answer: { files: 1, bytes: 1, skipped: 0 } },
    ]);
  });

  test.each([
    [['--all', 'a.txt', 'demo/desk:notes'], 'with --label or --all the target is :PATH'],
    [['--all', 'demo/desk:notes', '.'], 'with --label or --all the target is :PATH'],
    [['--all', ':notes', ':'], ':notes: no computer before the colon'],
    [['a.txt', ':notes'], ':notes: no computer before the colon'],
    [['--all', '-', ':notes'], 'stdin can be copied to one computer only'],
    [['--all', 'none.txt', ':notes'], 'cannot read none.txt'],
  ])('%j is refused before anything is copied', async (words, message) => {
    const { code, stderr } = await world.run(['cp', ...words]);
    expect(stderr).toContain(`error: ${message}`);
    expect(code).toBe(2);
    expect(world.service.received).toEqual([]);
  });
});
