import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownerCommand, packCommand, userCommand } from '../../../src/images/dockerfile/guest.js';

/** Stand-ins for programs that need root or the users of a computer. */
const PROGRAMS: Readonly<Record<string, string>> = {
  setpriv: 'echo "$@"',
  getent: `case "$1 $2" in
  'passwd user') echo user:x:5000:5001::/home/user:/bin/bash ;;
  'passwd root') echo root:x:0:0:root:/root:/bin/sh ;;
  'group user') echo user:x:5001: ;;
  'group audio') echo audio:x:29: ;;
  *) exit 2 ;;
esac`,
};

let root: string;
let path: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vc-guest-'));
  for (const [name, script] of Object.entries(PROGRAMS)) {
    writeFileSync(join(root, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  path = `${root}:${process.env.PATH}`;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function run(user: string, argv: readonly string[], cwd = '/', env = {}) {
  const [program = '', ...args] = userCommand(argv, { user, cwd, env: { PATH: path, ...env } });
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return { status, out: stdout.trim(), problem: stderr.trim() };
}

test('root runs a program with its variables and directory only', () => {
  const script = ['/bin/sh', '-c', 'pwd; echo "$A|$HOME|$USER"', "it's"];
  expect(run('', script, root, { A: 'x y' }).out).toBe(`${root}\nx y|/root|`);
  expect(run('root', ['/bin/sh', '-c', 'echo $HOME'], '/', { HOME: '/h' }).out).toBe('/h');
  expect(run('', ['/bin/sh', '-c', 'exit 7']).status).toBe(7);
});

test.each([
  ['user', '--reuid 5000 --regid 5001 --init-groups -- id'],
  ['1000', '--reuid 5000 --regid 5001 --init-groups -- id'],
  ['1000:1000', '--reuid 5000 --regid 5001 --clear-groups -- id'],
  ['user:audio', '--reuid 5000 --regid 29 --clear-groups -- id'],
  ['4321', '--reuid 4321 --regid 0 --clear-groups -- id'],
  ['4321:87', '--reuid 4321 --regid 87 --clear-groups -- id'],
])('%s runs with %s', (user, words) => {
  expect(run(user, ['id']).out).toBe(words);
});

test.each([
  ['nobody-here', 'there is no user nobody-here in the image'],
  ['user:none', 'there is no group none in the image'],
])('%s is refused', (user, problem) => {
  expect(run(user, ['id'])).toMatchObject({ status: 125, problem });
});

test.each([
  ['user', '5000 5000'],
  ['user:user', '5000 5001'],
  ['1000:1000', '5000 5001'],
  ['7', '7 7'],
  ['0:29', '0 29'],
])('the owner %s is %s', (owner, ids) => {
  const [program = '', ...args] = ownerCommand(owner);
  const env = { PATH: path };
  expect(execFileSync(program, args, { encoding: 'utf8', env }).trim()).toBe(ids);
});

test('an archive has a file, or what is in a directory', () => {
  mkdirSync(join(root, 'd/e'), { recursive: true });
  writeFileSync(join(root, 'd/e/f'), 'x');
  symlinkSync('d/e/f', join(root, 'link'));
  const list = (name: string) => {
    const [program = '', ...args] = packCommand(join(root, name));
    const input = execFileSync(program, args);
    return execFileSync('tar', ['-t'], { input, encoding: 'utf8' }).split('\n').filter(Boolean);
  };
  expect(list('d')).toEqual(['./', './e/', './e/f']);
  expect(list('link')).toEqual(['link']);
});
