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
  const lines = await complete(outline, words, async ({ kind }) => [{ value: `<${kind}>` }]);
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
    ['shell', '-p', 'shop', ''],
    ['<running-computer>', ':'],
  ],
  [
    ['cp', 'here', ''],
    ['<running-computer>:', ':files,nospace'],
  ],
  [
    ['key', ''],
    ['create', 'ls', 'get', 'update', 'rm', ':'],
  ],
  [
    ['computer', 'click', '-p', 'shop', ''],
    ['<running-computer>', ':'],
  ],
  [
    ['computer', 'get', 'a', ''],
    ['<computer>', ':'],
  ],
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
  [
    ['computer', 'cp', 'demo/desktop:Do'],
    ['<remote-path>', ':nospace'],
  ],
  [['computer', 'exec', 'a', '--', 'l'], [':files']],
])('arguments: %j', async (words, lines) => {
  expect(await offered(...words)).toEqual(lines);
});

test.each([
  [
    ['computer', 'click', 'a', '1', '2', '--button', ''],
    ['left', 'right', 'middle', 'back', 'forward', ':'],
  ],
  [
    ['click', 'a', '1', '2', '--button', ''],
    ['left', 'right', 'middle', 'back', 'forward', ':'],
  ],
  [
    ['computer', 'click', 'a', '1', '2', '-b', ''],
    ['left', 'right', 'middle', 'back', 'forward', ':'],
  ],
  [
    ['computer', 'click', '--button=r'],
    [...['left', 'right', 'middle', 'back', 'forward'].map((name) => `--button=${name}`), ':'],
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

test('names are looked up with the options of the command line', async () => {
  let given: ReadonlyMap<string, string> = new Map();
  const words = ['-p', 'shop', 'computer', 'get', '--base-url=https://vc.example.com/api', ''];
  await complete(outline, words, async (wanted) => {
    given = wanted.given;
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

test.each([
  [['-p', ''], '<project>'],
  [['ls', '--project='], '--project=<project>'],
  [['ls', '--profile', ''], '<profile>'],
  [['create', 'x', '--image', ''], '<image>'],
  [['create', 'x', '--engine', ''], '<engine>'],
  [['image', 'rm', ''], '<image>'],
  [['image', 'warm', ''], '<image>'],
  [['job', 'get', 'desk', ''], '<job>'],
  [['logs', 'desk', ''], '<job>'],
  [['job', 'end', 'desk', 'job_1', ''], '<running-job>'],
  [['computer', 'stream', 'start', 'desk', '--connection', ''], '<connection>'],
  [['audit', '--computer', ''], '<computer>'],
])('values that the service knows are offered: %j', async (words, name) => {
  expect(await offered(...words)).toEqual([name, ':']);
});

test('a look-up uses the preceding arguments and the typed part of the word', async () => {
  const wanted: unknown[] = [];
  const look = async (one: unknown) => {
    wanted.push(one);
    return [];
  };
  await complete(outline, ['job', 'get', 'demo/desk', 'job_'], look);
  await complete(outline, ['cp', 'a.txt', 'desk:Do'], look);
  expect(wanted).toMatchObject([
    { kind: 'job', args: ['demo/desk'], typed: 'job_' },
    { kind: 'remote-path', args: ['a.txt'], typed: 'desk:Do' },
  ]);
});

test('help offers commands and topics, and then the commands of a group', async () => {
  expect(await offered('help', '')).toEqual(
    expect.arrayContaining(['ls', 'computer', 'doctor', 'exit-codes', 'durations']),
  );
  expect(await offered('help', 'job', '')).toEqual(['ls', 'get', 'logs', 'end', ':']);
  expect(await offered('help', 'ls', '')).toEqual([':']);
  expect(await offered('help', 'job', 'ls', '')).toEqual([':']);
});

/** Names that are new, or of something else than this service. */
const NEW = ['update --name', 'add --default-project', 'key --name'];
const ELSEWHERE = ['import --ssh-user', 'serve --allow-host', 'use --acknowledge', 'click --frame'];

test('every option that takes a name offers names or choices', () => {
  const commands = [...outline.groups.flatMap((group) => group.commands), ...outline.singles];
  const bare = commands.flatMap((command) =>
    command.options
      .filter(({ flags }) => /<(name|id|engine|profile|project)>/.test(flags))
      .filter(({ choices, completes }) => choices === undefined && completes === undefined)
      .map(({ flags }) => `${command.names[0]} ${flags.replace(/ <.*/, '')}`),
  );
  expect(bare.sort()).toEqual(expect.arrayContaining(NEW));
  expect(bare.filter((one) => ![...NEW, ...ELSEWHERE, 'audit --before'].includes(one))).toEqual([]);
});
