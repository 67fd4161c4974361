import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseChange } from '../../../../src/cli/sync/rsync.js';
import { computer, openWorld, type World } from '../../support/run.js';

const at = '/projects/demo/computers/desktop';
const base = `/computers/${computer.id}`;
let world: World;
let programs: string;

beforeEach(async () => {
  world = await openWorld();
  programs = join(world.directory, 'bin');
  mkdirSync(programs);
  mkdirSync(join(world.directory, 'src'));
  const identity = join(world.directory, 'config/ssh/identity');
  mkdirSync(identity, { recursive: true });
  writeFileSync(join(identity, 'id_ed25519.pub'), `ssh-ed25519 ${'B'.repeat(68)} vc\n`);
  world.service.on(`GET ${at}`, computer);
  world.service.on(`POST ${base}/directory`, {
    success: true,
    path: '/home/user/x y',
    created: true,
  });
});
afterEach(() => world.close());

const writeRsync = (script: string) => {
  writeFileSync(
    join(programs, 'rsync'),
    `#!/bin/sh\nprintf "%s\\n" "$@" >"$HOME/arguments"\n${script}\n`,
  );
  chmodSync(join(programs, 'rsync'), 0o755);
};
const sync = (...words: string[]) =>
  world.run(['sync', ...words], { env: { PATH: `${programs}:/bin:/usr/bin` } });

test('rsync gets the directories, with vc ssh as its way to the computer', async () => {
  writeRsync(`echo '>f+++++++++ new'; echo 'odd message'`);
  const words = ['./src', 'demo/desktop:x y', '--delete', '-u', '--exclude', '-a b', '--gitignore'];
  const outcome = await sync(...words, '--base-url', world.service.baseUrl);
  expect(outcome).toMatchObject({ code: 0, stdout: 'created new\n' });
  expect(outcome.stderr).toBe('1 change made in demo/desktop:x y\n');
  const passed = readFileSync(join(world.directory, 'arguments'), 'utf8').trimEnd().split('\n');
  expect(passed.slice(-3)).toEqual([
    '--',
    `${world.directory}/src/`,
    `${computer.id}.vc:/home/user/x y/`,
  ]);
  expect(passed).toEqual(
    expect.arrayContaining(['--delete-after', '--update', '--exclude=-a b', '--protect-args']),
  );
  expect(passed.find((word) => word.startsWith('--rsh='))).toMatch(
    /^--rsh='[^']+\/node' '[^']+\/bin\/vc\.js' '--base-url' 'http:[^']+' 'ssh'$/,
  );
});

test.each([
  ['exit 127', 'the computer has no rsync', 'install it there'],
  ['echo detail >&2; exit 23', 'rsync could not copy everything', 'see its messages above'],
  ['kill -9 $$', 'rsync ended with SIGKILL', 'see its messages above'],
])('a run with `%s` is an error', async (script, message, remedy) => {
  writeRsync(script);
  const { code, stderr } = await sync('src', 'demo/desktop:x');
  expect(stderr).toContain(`error: ${message}\n       ${remedy}`);
  expect(code).toBe(1);
});

test('without rsync, its package is named and nothing is made', async () => {
  const argv = ['sync', 'src', 'demo/desktop:x'];
  const { code, stderr } = await world.run(argv, { env: { PATH: programs } });
  expect(stderr).toContain('error: there is no program rsync on this machine\n');
  expect(stderr).toContain('apt-get install rsync');
  expect(code).toBe(1);
  expect(world.service.received).toEqual([]);
});

test.each([
  [['src', 'x'], 'no directory is in a computer: write COMPUTER:DIRECTORY'],
  [['a:x', 'b:y'], 'one of the directories must be on this machine'],
  [['-', 'a:x'], 'a directory cannot be - here'],
  [['src', ':x'], ':x: no computer before the colon'],
  [['none', 'a:x'], 'cannot read none'],
  [['src', 'a:x', '--watch', '--dry-run'], '--watch and --dry-run cannot be combined'],
])('%j is refused', async (words, message) => {
  writeRsync('exit 0');
  const { code, stderr } = await sync(...words);
  expect(stderr).toContain(`error: ${message}`);
  expect(code).toBe(2);
  expect(world.service.received).toEqual([]);
});

test('a stopped computer is refused, with the way to start it', async () => {
  writeRsync('exit 0');
  world.service.on(`GET ${at}`, { ...computer, status: 'stopped' });
  expect(await sync('src', 'demo/desktop:x')).toMatchObject({
    code: 6,
    stderr: 'error: demo/desktop is stopped\n       start it: vc start demo/desktop\n',
  });
});

test.each([
  ['>f+++++++++ a b', { type: 'created', path: 'a b' }],
  ['cd+++++++++ dir/', { type: 'created', path: 'dir/' }],
  ['cL+++++++++ link', { type: 'created', path: 'link' }],
  ['<f.st...... a', { type: 'changed', path: 'a' }],
  ['.f...p..... a', { type: 'changed', path: 'a' }],
  ['*deleting   old', { type: 'deleted', path: 'old' }],
  ['.d..t...... dir/', undefined],
  ['.f..t...... same', undefined],
  ['.d...p..... ./', undefined],
  ['skipping non-regular file "x"', undefined],
])('the line %j of rsync is %j', (line, change) => {
  expect(parseChange(line)).toEqual(change);
});
