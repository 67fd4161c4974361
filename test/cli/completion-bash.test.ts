import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const SCRIPT = new URL('../../completions/vc.bash', import.meta.url).pathname;
const directory = mkdtempSync(join(tmpdir(), 'vc-completion-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** What bash offers for the last word, where `vc` knows these computers. */
function offered(computers: readonly string[], words: readonly string[]): string[] {
  const vc = join(directory, 'vc');
  writeFileSync(join(directory, 'names'), computers.map((name) => `${name}\n`).join(''));
  writeFileSync(vc, `#!/bin/sh\ncat '${directory}/names'\n`, { mode: 0o755 });
  const program = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vc 2>/dev/null
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, PATH: `${directory}:${process.env.PATH}` };
  const argv = ['--norc', '-c', program, SCRIPT, ...words];
  const text = execFileSync('bash', argv, { env, cwd: directory, encoding: 'utf8' });
  return text.split('\n').filter((line) => line !== '');
}

test.each([[['vc', 'computer', 'start', 'shop/']], [['vc', 'computer', 'cp', 'shop/']]])(
  'names in %j are data: nothing that stands in one is run',
  (words) => {
    const marker = join(directory, 'was-run');
    const names = [`shop/$(touch ${marker})`, `shop/\`touch ${marker}\``, 'other/desk'];
    expect(offered(names, words)).toHaveLength(2);
    expect(existsSync(marker)).toBe(false);
  },
);

test('names with spaces are offered as one word, also when half of one is there', () => {
  const names = ['shop/my desk', 'shop/lab'];
  expect(offered(names, ['vc', 'computer', 'get', 'shop/my\\ d'])).toEqual(['shop/my\\ desk']);
  expect(offered(names, ['vc', 'computer', 'get', 'shop/'])).toEqual([
    'shop/my\\ desk',
    'shop/lab',
  ]);
});
