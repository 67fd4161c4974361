import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tree } from '../../../src/cli/commands/tree.js';
import { withWordsApart } from '../../../src/cli/framework/argv.js';
import { flagNames } from '../../../src/cli/framework/flags.js';
import { globalOptions } from '../../../src/cli/framework/globals.js';
import { buildProgram } from '../../../src/cli/framework/program.js';
import { topics } from '../../../src/cli/framework/topics/topics.js';
import { sourceFiles } from '../../../src/cli/generate/files.js';
import { loadOutline, paths } from '../../../src/cli/generate/outline.js';
import { openWorld, type World } from '../support/run.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const outline = await loadOutline(tree);
const commands = paths(outline).map(({ command, path }) => ({
  command,
  words: path.map(([name = '']) => name),
}));

test('vc --help lists every command on stdout', async () => {
  const { code, stdout, stderr } = await world.run(['--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect((await world.run([])).stdout).toBe(stdout);
  expect((await world.run(['help'])).stdout).toBe(stdout);
});

test.each([60, 80])(
  'vc --help fits on one screen of %d columns and names every command',
  async (columns) => {
    const { stdout } = await world.run(['--help'], {
      terminal: true,
      columns,
      env: { NO_COLOR: '1' },
    });
    const { stdout: all } = await world.run(['help', 'all']);
    expect(stdout.split('\n').length).toBeLessThanOrEqual(columns < 80 ? 66 : 55);
    const text = stdout.split('Getting started:')[0] ?? '';
    expect(text.split('\n').filter((line) => line.length > columns)).toEqual([]);
    for (const { name } of [...outline.shortForms, ...outline.groups]) {
      expect(stdout).toMatch(new RegExp(`(^| )${name}(,| |$)`, 'm'));
      expect(all).toMatch(new RegExp(`^  ${name} +[A-Z]`, 'm'));
    }
    for (const { name } of outline.singles) {
      expect(stdout).toMatch(new RegExp(`(^| )${name}(,| |$)`, 'm'));
      expect(all).toMatch(new RegExp(`^  ${name} +[A-Z]`, 'm'));
    }
  },
);

test('vc help all has a line for every command', async () => {
  const { stdout } = await world.run(['help', 'all']);
  const lines = stdout.split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(stdout).toMatch(/^ {2}computer control +Show, take or give back control/m);
  for (const { words } of commands) {
    const short = outline.shortForms.find(({ shortFor }) => shortFor.join() === words.join());
    const name = short?.name ?? words.join(' ');
    expect(lines.filter((line) => line.startsWith(`  ${name}  `))).toHaveLength(1);
  }
});

/** The texts of the others are in the man pages, which are committed. */
test.each(['job --help', 'computer click --help', 'help exit-codes'])('vc %s', async (line) => {
  const { code, stdout, stderr } = await world.run(line.split(' '));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatchSnapshot();
});

test('help fits into 80 columns, except for examples', async () => {
  const groups = outline.groups.map(({ name }) => [name, '--help']);
  const short = outline.shortForms.map(({ name }) => [name, '--help']);
  const long = commands.map(({ words }) => [...words, '--help']);
  const all = [['--help'], ...groups, ...short, ...long];
  for (const argv of [...Object.keys(topics).map((topic) => ['help', topic]), ...all]) {
    const { code, stdout } = await world.run(argv, { columns: 80 });
    expect(code, argv.join(' ')).toBe(0);
    const text = stdout.split('\nExamples:')[0] ?? '';
    const wide = text.split('\n').filter((line) => line.length > 80);
    expect(wide, argv.join(' ')).toEqual([]);
  }
  for (const group of outline.groups) {
    const { stdout } = await world.run([group.name, '--help'], { columns: 80 });
    for (const { name, summary } of group.commands) {
      expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
    }
  }
});

test('commands that need a running computer complete running ones', () => {
  const needs = [
    'click',
    'type',
    'screenshot',
    'shell',
    'forward',
    'vnc',
    'record',
    'run',
    'bash',
    'exec',
  ];
  const [verbs = []] = outline.groups
    .filter(({ name }) => name === 'computer')
    .map((g) => g.commands);
  for (const verb of needs) {
    const first = verbs.find(({ name }) => name === verb)?.arguments[0];
    expect(first?.completes, verb).toBe('running-computer');
  }
});

test('help fits into a narrow terminal', async () => {
  const { stdout } = await world.run(['computer', 'ls', '--help'], { terminal: true, columns: 60 });
  const text = stdout.split('Examples:')[0] ?? '';
  expect(text.split('\n').filter((line) => line.length > 60)).toEqual([]);
});

describe.each(commands)('vc $words', ({ command, words }) => {
  test('has help, with a summary and examples', async () => {
    const { code, stdout } = await world.run([...words, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(command.summary);
    expect((await world.run(['help', ...words])).stdout).toBe(stdout);
    expect(command.examples.length).toBeGreaterThan(0);
  });

  test('has a one-line summary without a period', () => {
    expect(command.summary).toMatch(/^[A-Z][^\n]*[^.]$/);
    expect(command.summary.length).toBeLessThanOrEqual(56);
  });

  test('has examples that parse', async () => {
    for (const { command: example } of command.examples) {
      const [program, ...words] = shellWords(example);
      expect(program).toBe('vc');
      const argv = command.ownWords === true ? withWordsApart(words, 1) : words;
      let invoked = '';
      const builder = await buildProgram(tree, argv, {
        dispatch: async (definition, args, options) => {
          for (const [key, argument] of Object.entries(definition.arguments))
            argument.read(args[key]);
          for (const [key, option] of Object.entries(definition.options)) option.read(options[key]);
          invoked = definition.name;
        },
        writeOut: () => {},
        columns: 80,
        bold: (text) => text,
      });
      await builder.parseAsync(argv, { from: 'user' });
      expect(invoked, example).toBe(command.name);
    }
  });

  test('has no option that hides a global one', () => {
    const global = Object.values(globalOptions).flatMap(flagNames);
    for (const name of command.options.flatMap(flagNames)) expect(global).not.toContain(name);
  });
});

test('an unknown topic is a usage error with a suggestion', async () => {
  const { code, stderr } = await world.run(['help', 'exit-code']);
  expect(code).toBe(2);
  expect(stderr).toContain('Did you mean vc help exit-codes?');
});

test('help on a terminal without colours has no control codes', async () => {
  const options = { terminal: true, env: { NO_COLOR: '1' } };
  expect((await world.run(['computer', '--help'], options)).stdout).not.toContain('\u001b');
  expect((await world.run(['computer', '--help'], { terminal: true })).stdout).toContain(
    '\u001b[1m',
  );
});

test('--version prints the version of the package', async () => {
  const manifest = JSON.parse(await readFile('package.json', 'utf8'));
  expect((await world.run(['--version'])).stdout).toBe(`${manifest.version}\n`);
});

test('man pages are up to date with the command tree', async () => {
  const files = await sourceFiles(tree);
  const pages = [...files.keys()].filter((path) => path.startsWith('man/'));
  expect((await readdir('man')).map((page) => `man/${page}`).sort()).toEqual(pages.sort());
  for (const [path, content] of files) {
    const committed = await readFile(path, 'utf8').catch(() => '');
    expect(committed, `${path} is stale: run npm run build && npm run generate`).toBe(content);
  }
});

/** The arguments of the first call of vc in an example, without redirections. */
function shellWords(line: string): string[] {
  const call = /vc (?:[^'"()|<>&]|'[^']*'|"[^"]*")*/.exec(line)?.[0] ?? line;
  return [...call.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  );
}
