import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { tree } from '../../src/cli/commands/tree.js';
import { flagNames } from '../../src/cli/framework/flags.js';
import { loadOutline, type Outline } from '../../src/cli/generate/outline.js';
import { errorCatalogue } from '../../src/contract/errors.js';
import { trackedFiles } from './sources.js';

/** Folders whose paths documents name. */
const ROOTS = 'bench|bin|completions|docs|examples|images|man|scripts|src|test';

let outline: Outline;
// Loads every command, which takes long on a busy host.
beforeAll(async () => {
  outline = await loadOutline(tree);
}, 120_000);

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const documents = trackedFiles('*.md').map((path) => ({ path, text: readFileSync(path, 'utf8') }));

describe.each(documents)('$path', ({ path, text }) => {
  test('names paths that exist', () => {
    const missing = [...linksIn(text, path), ...pathsIn(text)].filter(
      (named) => !existsSync(named),
    );
    expect(missing).toEqual([]);
  });

  test('names npm scripts that exist', () => {
    expect(scriptsIn(text).filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  test('names commands and options that exist', () => {
    expect(callsIn(text).flatMap((words) => mistakeIn(words))).toEqual([]);
  });
});

test('a function named next to a file is in that file', () => {
  const rows = documents.flatMap(({ text }) => text.split('\n').filter((line) => /^\|/.test(line)));
  const missing = rows.flatMap((row) => {
    const spans = [...row.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
    const [path] = spans.filter((span) => /^src\/.*\.ts$/.test(span));
    if (path === undefined || !existsSync(path)) return [];
    const source = readFileSync(path, 'utf8');
    const names = spans.filter((span) => /^[a-z]\w+$/i.test(span));
    return names.filter((name) => !source.includes(name)).map((name) => `${name} in ${path}`);
  });
  expect(missing).toEqual([]);
});

test('the table of error codes in docs/http.md is the catalogue', () => {
  const text = readFileSync('docs/http.md', 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+)` \| (\d{3}) \| (\w+) \|/gm)];
  const codes = rows.map(([, code = '', status, retry]) => [code, Number(status), retry]);
  const catalogue = Object.entries(errorCatalogue).map(([code, { status, retry }]) => [
    ...[code, status, retry],
  ]);
  expect(codes).toEqual(catalogue);
});

test('docs/troubleshooting.md has a row for every error code', () => {
  const text = readFileSync('docs/troubleshooting.md', 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+)` \| (\d{3}) \| [^|]+ \| [^|]+ \| [^|]+ \|$/gm)];
  const catalogue = Object.entries(errorCatalogue).map(([code, { status }]) => [code, status]);
  expect(rows.map(([, code, status]) => [code, Number(status)])).toEqual(catalogue);
});

/** Names of npm scripts in inline code and code blocks. */
function scriptsIn(text: string): string[] {
  return [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
}

/** Targets of relative links, without their fragments. */
function linksIn(text: string, document: string): string[] {
  return [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => join(dirname(document), target));
}

/** Paths in inline code: `src/cli`, `src/lib/{fs,net}`; none with a placeholder. */
function pathsIn(text: string): string[] {
  const pattern = new RegExp(`\`((?:${ROOTS})/[\\w./{},-]*)\``, 'g');
  return [...text.matchAll(pattern)].flatMap(([, path = '']) => expandBraces(path));
}

function expandBraces(path: string): string[] {
  const [, head, list, tail] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(path) ?? [];
  if (list === undefined) return [path];
  return list.split(',').map((part) => `${head}${part}${tail}`);
}

/** The words after `vc` of each call in inline code or a code block. */
function callsIn(text: string): string[][] {
  const code = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```|`([^`\n]+)`/gm)].map(
    ([, language = '', block, inline]) =>
      ['', 'sh', 'crontab'].includes(language) ? (block ?? inline ?? '') : '',
  );
  // `sudo -u vc` names a user.
  const call = /(?:^|(?<!-u)[\s(;&|])vc ((?:[^'"()|<>&;#\n]|'[^'\n]*'|"[^"\n]*")*)/g;
  return code
    .flatMap((lines) => [...lines.matchAll(call)])
    .map(([, words = '']) => words.match(/'[^']*'|"[^"]*"|[^\s'"]+/g) ?? [])
    .filter(([first = '']) => /^[a-z-]/.test(first));
}

/** The problems of a call; none if vc can parse it. */
function mistakeIn(words: readonly string[]): string[] {
  const call = `vc ${words.join(' ')}`;
  const shortForm = outline.shortForms.find(({ names }) => names.includes(words[0] ?? ''));
  const [first, second] = shortForm?.shortFor ?? words;
  const group = outline.groups.find(({ names }) => names.includes(first ?? ''));
  const known = group?.commands ?? outline.singles;
  const name = group === undefined ? first : second;
  if (name === undefined || /^(-|[A-Z])/.test(name)) return [];
  const command = known.find(({ names }) => names.includes(name));
  if (command === undefined) return [`${call}: no such command`];
  const end = words.indexOf('--');
  const flags = (end < 0 ? words : words.slice(0, end)).filter((word) => /^--?[a-z]/.test(word));
  const options = [...command.options, ...outline.globals].flatMap(flagNames);
  return flags
    .map((flag) => flag.replace(/=.*/, ''))
    .filter((flag) => ![...options, '--help', '-h'].includes(flag))
    .map((flag) => `${call}: no option ${flag}`);
}
