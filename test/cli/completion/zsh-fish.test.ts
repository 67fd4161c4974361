import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { itUnless } from '../../support/run/needs.js';

const completions = new URL('../../../completions/', import.meta.url).pathname;
const directory = mkdtempSync(join(tmpdir(), 'vc-completion-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Shells write into their home directory when they start. */
const env = { ...process.env, HOME: directory, PATH: `${directory}:${process.env.PATH}` };

const missing = (shell: string) =>
  spawnSync(shell, ['-c', 'true'], { env }).status === 0 ? undefined : `${shell} is not installed`;

/** Runs a shell in which `vc __complete` prints these lines. */
function run(lines: readonly string[], shell: string, argv: readonly string[]): string[] {
  const vc = join(directory, 'vc');
  writeFileSync(join(directory, 'lines'), lines.map((line) => `${line}\n`).join(''));
  writeFileSync(vc, `#!/bin/sh\ncat '${directory}/lines'\n`, { mode: 0o755 });
  const text = execFileSync(shell, argv, { env, cwd: directory, encoding: 'utf8' });
  return text.split('\n').filter((line) => line !== '');
}

const marker = join(directory, 'was-run');
const paths = ['demo/desk:Documents/', 'demo/desk:Dear diary.txt', `demo/desk:D$(touch ${marker})`];

itUnless(missing('fish'))('fish offers paths of a computer, and evaluates nothing', () => {
  const program = `source ${completions}/vc.fish; complete -C "vc cp demo/desk:D"`;
  const offered = run([...paths, ':nospace'], 'fish', ['--no-config', '-c', program]);
  expect(offered.sort()).toEqual([...paths].sort());
  expect(existsSync(marker)).toBe(false);
});

/** Replaces the functions of zsh's completion system, which need a terminal. */
const ZSH = `
  function compdef { : }
  function _describe { shift; eval "print -rl -- \\"\\\${(@)$1}\\""; shift; print -r -- "options: $*" }
  function _files { print files }
  source $1; shift
  words=("$@"); CURRENT=$#words; PREFIX=$words[-1]
  _vc
`;

itUnless(missing('zsh'))('zsh offers paths of a computer, and evaluates nothing', () => {
  const argv = ['-f', '-c', ZSH, 'zsh', `${completions}/_vc`, 'vc', 'cp', 'demo/desk:D'];
  expect(run([...paths, ':nospace'], 'zsh', argv)).toEqual([
    ...paths.map((path) => path.replace(':', '\\:')),
    'options: -S ',
  ]);
  expect(run(['demo/desk:', ':files,nospace'], 'zsh', argv)).toContain('files');
  expect(existsSync(marker)).toBe(false);
});
