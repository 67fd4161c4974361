// @module-tag slow
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { inTier } from '../../support/run/tiers.js';

const SCRIPT = new URL('../../../completions/vc.bash', import.meta.url).pathname;
const directory = mkdtempSync(join(tmpdir(), 'vc-completion-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Bash's candidates for the last word of the line, if `vc __complete` prints these lines. */
function offered(lines: readonly string[], words: readonly string[]): string[] {
  const vc = join(directory, 'vc');
  writeFileSync(join(directory, 'lines'), lines.map((line) => `${line}\n`).join(''));
  writeFileSync(vc, `#!/bin/sh\ncat '${directory}/lines'\n`, { mode: 0o755 });
  const program = `source "$0"; COMP_LINE=$1; COMP_POINT=\${#1}; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vc vc "$REPLACED" 2>/dev/null
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const replaced = words.at(-1)?.replace(/^([:=]$|["'])/, '');
  const env = {
    ...process.env,
    ...{ HOME: directory, PATH: `${directory}:${process.env.PATH}`, REPLACED: replaced },
  };
  // Bash treats each ":" and "=" as a separate word.
  const line = words.join(' ').replaceAll(/ ?([:=]) ?/g, '$1');
  const argv = ['--norc', '-c', program, SCRIPT, line, ...words];
  const text = execFileSync('bash', argv, { env, cwd: directory, encoding: 'utf8' });
  return text.split('\n').filter((name) => name !== '');
}

test.each([[':'], [':files,nospace']])(
  'candidates are data: nothing in them is evaluated (%s)',
  (directives) => {
    const marker = join(directory, 'was-run');
    const names = [`shop/$(touch ${marker})`, `shop/\`touch ${marker}\``, 'other/desk'];
    expect(offered([...names, directives], ['vc', 'computer', 'get', 'shop/'])).toHaveLength(2);
    expect(existsSync(marker)).toBe(false);
  },
);

test('names with spaces are one word, even if half of one has been typed', () => {
  const lines = ['shop/my desk', 'shop/lab', ':'];
  expect(offered(lines, ['vc', 'computer', 'get', 'shop/my\\ d'])).toEqual(['shop/my\\ desk']);
  expect(offered(lines, ['vc', 'computer', 'get', 'shop/'])).toEqual([
    'shop/my\\ desk',
    'shop/lab',
  ]);
});

test('descriptions are removed, and only matching candidates offered', () => {
  const lines = ['start\tStart a computer', 'stop\tStop a computer', ':'];
  expect(offered(lines, ['vc', 'computer', 'sta'])).toEqual(['start']);
});

test('a value after "=" is completed without the option', () => {
  const lines = ['--engine=docker', '--engine=qemu', ':'];
  expect(offered(lines, ['vc', 'serve', '--engine', '=', 'd'])).toEqual(['docker']);
  expect(offered(lines, ['vc', 'serve', '--engine', '='])).toEqual(['docker', 'qemu']);
});

test('files are offered if the CLI requests them', () => {
  writeFileSync(join(directory, 'notes.txt'), '');
  expect(offered([':files'], ['vc', 'restore', 'no'])).toEqual(['notes.txt']);
  expect(offered([':files'], ['vc', 'restore', '~/no'])).toEqual(['~/notes.txt']);
  expect(offered([':'], ['vc', 'restore', 'no'])).toEqual([]);
});

test('nothing is offered within a command in quotes, where quotes begin anew', () => {
  expect(offered(['$(echo a', ':'], ['vc', 'computer', 'get', '"$(echo'])).toEqual([]);
});

test('paths in a computer are completed after the colon', () => {
  const lines = ['demo/desk:Documents/', 'demo/desk:Dear diary.txt', ':nospace'];
  expect(offered(lines, ['vc', 'cp', 'demo/desk', ':', 'D'])).toEqual([
    'Documents/',
    'Dear\\ diary.txt',
  ]);
  expect(offered(lines, ['vc', 'cp', 'demo/desk', ':'])).toHaveLength(2);
});

/** What `vc get` is called with when its argument is completed in a terminal. */
async function completed(
  lines: readonly string[],
  typed: string,
  { locale = 'C.UTF-8', keys = '\t' } = {},
) {
  const vc = join(directory, 'vc');
  writeFileSync(join(directory, 'lines'), lines.map((line) => `${line}\n`).join(''));
  const script = [
    `#!/bin/sh`,
    `if [ "$1" = __complete ]; then cat '${directory}/lines'; else printf '%s\\0' "$@" >'${directory}/called'; fi`,
  ];
  writeFileSync(vc, script.join('\n'), { mode: 0o755 });
  rmSync(join(directory, 'called'), { force: true });
  const env = { PATH: `${directory}:${process.env.PATH}`, LC_ALL: locale, HOME: directory };
  const bash = spawn('script', ['-qfec', 'bash --norc -i', '/dev/null'], {
    ...{ env: { ...env, TERM: 'dumb' }, cwd: directory, stdio: ['pipe', 'pipe', 'ignore'] },
  });
  const closed = once(bash, 'close');
  let shown = '';
  bash.stdout.on('data', (data: Buffer) => {
    shown += data.toString('latin1');
  });
  const shows = (text: string) => eventually(async () => shown.includes(text), 15_000);
  bash.stdin.write(`source ${SCRIPT}; PS1=; echo be''gun\n`);
  await shows('begun');
  shown = '';
  bash.stdin.write(`vc get ${typed}${keys}`);
  // Behind the only candidate.
  await eventually(async () => shown.endsWith(' '), 15_000);
  bash.stdin.write(`\necho en''ded\nexit\n`);
  await shows('ended');
  await closed;
  return readFileSync(join(directory, 'called'), 'utf8').split('\0').slice(1, -1);
}

describe('in a terminal, a completed name is the name, and nothing in it is run', () => {
  const marker = join(directory, 'in-terminal');
  const names = [
    `rep$(touch ${marker})`,
    `rep\u0378\`touch ${marker}\``,
    `rep\uffffé";touch ${marker};"`,
    'rep!',
    `rep'"$(touch ${marker})'`,
    `rep👍';touch ${marker};'!! \\ ~`,
  ];
  const cases = names.flatMap((name) =>
    ['', '"', "'"].flatMap((quote) =>
      inTier({ thorough: ['C', 'C.UTF-8'], quick: ['C.UTF-8'] }).map(
        (locale) => [name, quote, locale] as const,
      ),
    ),
  );
  test.each(cases)('%s after %s in %s', async (name, quote, locale) => {
    expect(await completed([name, ':'], `${quote}rep`, { locale })).toEqual([name]);
    expect(existsSync(marker)).toBe(false);
  });

  const quoted = [`rep";touch ${marker};#`, `rep';touch ${marker};'`];
  const typed = ['"rep"', "'re'p", 're"p', "'rep'", '"re"p', `'r'\\e"p`];
  const combined = quoted.flatMap((name) => typed.map((word) => [name, word] as const));
  test.each(combined.slice(0, inTier({ thorough: combined.length, quick: 3 })))(
    '%s after %s, with a quote that is closed or begins within the word',
    async (name, word) => {
      expect(await completed([name, ':'], word)).toEqual([name]);
      expect(existsSync(marker)).toBe(false);
    },
  );

  const paths = ['"my dir"/f', "'my dir'/f", '"my dir/"f', 'my" dir/f'];
  test.each(paths.slice(0, inTier({ thorough: paths.length, quick: 1 })))(
    'a file after %s',
    async (word) => {
      mkdirSync(join(directory, 'my dir'), { recursive: true });
      writeFileSync(join(directory, 'my dir/f;touch in-terminal;#'), '');
      expect(await completed([':files'], word)).toEqual(['my dir/f;touch in-terminal;#']);
      expect(existsSync(marker)).toBe(false);
    },
  );

  test('a name after a quote that insert-completions removes', async () => {
    const name = `rep;touch ${marker};#`;
    expect(await completed([name, ':'], '"rep', { keys: '\x1b*' })).toEqual([name]);
    expect(existsSync(marker)).toBe(false);
  });
});
