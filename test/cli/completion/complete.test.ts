import { beforeAll, expect, test } from 'vitest';
import { tree } from '../../../src/cli/commands/tree.js';
import { complete } from '../../../src/cli/completion/complete.js';
import { loadOutline, type Outline } from '../../../src/cli/generate/outline.js';

let outline: Outline;
beforeAll(async () => {
  outline = await loadOutline(tree);
});

/** What is offered for the last word, without descriptions. */
async function offered(...words: string[]): Promise<string[]> {
  const lines = await complete(outline, words, async (kind) => [`<${kind}>`]);
  return lines.map((line) => line.replace(/\t.*/, ''));
}

test('the first word is a command, described by its summary', async () => {
  const lines = await complete(outline, [''], async () => []);
  for (const { name, summary } of outline.singles) expect(lines).toContain(`${name}\t${summary}`);
  expect(lines.map((line) => line.split('\t')[0])).toEqual([
    ...outline.shortForms.map(({ name }) => name),
    ...outline.groups.map(({ name }) => name),
    ...outline.singles.map(({ name }) => name),
    ':',
  ]);
});

test.each([
  [
    ['job', ''],
    ['ls', 'get', 'logs', 'end', ':'],
  ],
  [
    ['jobs', ''],
    ['ls', 'get', 'logs', 'end', ':'],
  ],
  [
    ['--quiet', '-p', 'shop', 'job', ''],
    ['ls', 'get', 'logs', 'end', ':'],
  ],
  [['nonsense', ''], [':']],
  [['job', 'nonsense', ''], [':']],
])('commands of a group: %j', async (words, lines) => {
  expect(await offered(...words)).toEqual(lines);
});

test.each([
  [
    ['computer', 'start', ''],
    ['<stopped-computer>', ':'],
  ],
  [
    ['computer', 'start', 'a', ''],
    ['<stopped-computer>', ':'],
  ],
  [
    ['computer', 'click', ''],
    ['<running-computer>', ':'],
  ],
  [
    ['start', ''],
    ['<stopped-computer>', ':'],
  ],
  [
    ['press', ''],
    ['<running-computer>', ':'],
  ],
  [
    ['ssh', '-p', 'shop', ''],
    ['<running-computer>', ':'],
  ],
  [
    ['cp', 'here', ''],
    ['<running-computer>:', ':files,nospace'],
  ],
  [
    ['key', ''],
    ['create', 'ls', 'rm', ':'],
  ],
  [
    ['computer', 'click', '-p', 'shop', ''],
    ['<running-computer>', ':'],
  ],
  [['computer', 'get', 'a', ''], [':']],
  [
    ['project', 'get', ''],
    ['<project>', ':'],
  ],
  [
    ['profile', 'use', ''],
    ['<profile>', ':'],
  ],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish', ':'],
  ],
  [['restore', ''], [':files']],
  [
    ['computer', 'cp', ''],
    ['<running-computer>:', ':files,nospace'],
  ],
  [
    ['computer', 'cp', 'here', 'a'],
    ['<running-computer>:', ':files,nospace'],
  ],
  [['computer', 'cp', 'demo/desktop:Do'], [':']],
  [['computer', 'exec', 'a', '--', 'l'], [':files']],
])('arguments: %j', async (words, lines) => {
  expect(await offered(...words)).toEqual(lines);
});

test.each([
  [
    ['computer', 'click', 'a', '1', '2', '--button', ''],
    ['left', 'right', 'middle', ':'],
  ],
  [
    ['click', 'a', '1', '2', '--button', ''],
    ['left', 'right', 'middle', ':'],
  ],
  [
    ['computer', 'click', 'a', '1', '2', '-b', ''],
    ['left', 'right', 'middle', ':'],
  ],
  [
    ['computer', 'click', '--button=r'],
    ['--button=left', '--button=right', '--button=middle', ':'],
  ],
  [['computer', 'screenshot', 'a', '-o', ''], [':files']],
  [['computer', 'bash', 'a', '--cwd', ''], [':']],
])('values of options: %j', async (words, lines) => {
  expect(await offered(...words)).toEqual(lines);
});

test('options are those of the command and the global ones', async () => {
  const options = await offered('computer', 'click', '-');
  expect(options).toEqual(expect.arrayContaining(['-b', '--button', '-q', '--quiet', '--help']));
  expect(options).not.toContain('--version');
  expect(await offered('-')).toContain('--version');
  expect(await offered('computer', '--')).toContain('--help');
});

test('names are looked up under the options that are given', async () => {
  let given: ReadonlyMap<string, string> = new Map();
  const words = ['-p', 'shop', 'computer', 'get', '--base-url=https://vc.example.com/api', ''];
  await complete(outline, words, async (_, options) => {
    given = options;
    return [];
  });
  expect([...given]).toEqual([
    ['--project', 'shop'],
    ['--base-url', 'https://vc.example.com/api'],
  ]);
});

test('without a service, files and fixed words are still offered', async () => {
  const failing = () => Promise.reject(new Error('unreachable'));
  expect(await complete(outline, ['computer', 'cp', ''], failing)).toEqual([':files,nospace']);
});

test('an option whose value is a name offers the names', async () => {
  expect(await offered('audit', '--owner', '')).toEqual(['<owner>', ':']);
  expect(await offered('audit', '--owner=')).toEqual(['--owner=<owner>', ':']);
  expect(await offered('owner', 'rm', 'alice', '')).toEqual(['<owner>', ':']);
});
