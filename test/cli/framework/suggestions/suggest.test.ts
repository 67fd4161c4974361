import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tree } from '../../../../src/cli/commands/tree.js';
import { isGroup } from '../../../../src/cli/framework/nodes.js';
import { suggestCommand } from '../../../../src/cli/framework/suggestions/suggest.js';
import { synonyms } from '../../../../src/cli/framework/suggestions/synonyms.js';
import { openWorld, type World } from '../../support/run.js';

const suggested = (line: string) => suggestCommand(tree, line.split(' '));

test.each([
  ['ps', 'vc ls'],
  ['rename', 'vc computer update --name'],
  ['inspect', 'vc get'],
  ['kill', 'vc stop'],
  ['halt', 'vc stop'],
  ['boot', 'vc start'],
  ['attach', 'vc shell'],
  ['scp', 'vc cp'],
  ['tunnel', 'vc forward'],
  ['shot', 'vc screenshot'],
  ['sleep', 'vc wait'],
  ['token', 'vc key'],
  ['logout', 'vc profile rm'],
  ['version', 'vc --version'],
  ['PS', 'vc ls'],
  ['uninstall', 'vc setup --remove'],
  ['status', 'vc service status'],
  ['take desk', 'vc computer control COMPUTER take'],
  ['release desk', 'vc computer control COMPUTER release'],
])('for vc %s: %s', (line, command) => {
  expect(suggested(line)).toBe(`Did you mean ${command}?`);
});

test.each(['prune', 'computer prune'])(
  'no command that removes computers is suggested for vc %s',
  (line) => {
    expect(suggested(line)).toBe('Did you mean vc image prune?');
  },
);

test.each([
  ['computer rename', 'vc computer update --name'],
  ['computer ps', 'vc computer ls'],
  ['computer inspect', 'vc computer get'],
  ['computers logs', 'vc logs'],
  ['computer console', 'vc computer shell'],
  ['project list', 'vc project ls'],
  ['image inspect', 'vc image ls'],
  ['image get', 'vc image ls'],
  ['snapshot show', 'vc snapshot ls'],
  ['snapshot tree', 'vc snapshot ls'],
  ['image share', 'vc image save or vc image build'],
  ['image create', 'vc image save or vc image build'],
  ['system df', 'vc usage or vc image prune'],
  ['image df', 'vc usage'],
  ['connection create', 'vc connection add'],
  ['profile switch', 'vc profile use'],
  ['computer build', 'vc image build'],
  ['computer status', 'vc computer get'],
  ['computer take', 'vc computer control COMPUTER take'],
  ['project update', 'vc project rename'],
  ['project add', 'vc project create'],
  ['alias add', 'vc alias set'],
  ['secret create', 'vc secret set'],
  ['owner update', 'vc owner set'],
  ['image add', 'vc image import'],
])('for vc %s: %s', (line, command) => {
  expect(suggested(line)).toBe(`Did you mean ${command}?`);
});

test.each([
  ['sreenshot', 'vc screenshot'],
  ['strat', 'vc start'],
  ['computr', 'vc computer'],
  ['delte', 'vc delete'],
  ['volume get', 'vc volume ls'],
  ['computer clik', 'vc computer click'],
  ['project crate', 'vc project create'],
  ['warm', 'vc image warm'],
])('a mistyped word is the nearest: vc %s', (line, command) => {
  expect(suggested(line)).toBe(`Did you mean ${command}?`);
});

test.each([
  ...['frobnicate', 'swarm', 'compose', 'cluster', 'volume', 'tag', 'gist', 'issue'],
  ...['apply', 'plugin', 'browser', 'repo', 'scale', 'computer frobnicate', 'computer tag'],
  ...['', 'computer', '__proto__', 'constructor', 'computer constructor'],
])('nothing is suggested for vc %s', (line) => {
  expect(suggested(line)).toBeUndefined();
});

test('"top" is never a mistyped "stop"', () => {
  for (const line of ['top', 'computer top'])
    expect(suggested(line)).toMatch(/vc (computer )?stats\?$/);
});

test('every synonym names a command, and none is a command itself at the same place', () => {
  const top = tree.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const verbs = tree.filter(isGroup).flatMap((group) => Object.keys(group.verbs));
  for (const [commands, words] of synonyms) {
    for (const command of commands) {
      const [first = ''] = command.split(' ');
      const isPlanned = ['rename'].includes(command);
      const exists = first.startsWith('--') || top.includes(first) || verbs.includes(first);
      expect(exists || isPlanned, command).toBe(true);
    }
    expect(words).toMatch(/^[a-z0-9]+( [a-z0-9]+)*$/);
  }
});

const RESOLUTION =
  'The resolution is chosen when a computer is created: vc create NAME --resolution 1920x1080.';

describe('on the command line', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  test.each([
    ['ps', 'Did you mean vc ls? See: vc --help'],
    ['computer top', 'Did you mean vc computer stats? See: vc computer --help'],
    ['key desk ctrl+c', 'To press keys, use vc press. See: vc key --help'],
    ['key crate ci', 'Did you mean vc key create? See: vc key --help'],
    ['frobnicate', 'see: vc --help'],
    ...['status', 'logs', 'stop', 'restart'].map((verb) => [
      `serve ${verb}`,
      `Did you mean vc service ${verb}? See: vc serve --help`,
    ]),
    ['serve desk', 'see: vc serve --help'],
    [
      'ls extra',
      'For the computers of a project: vc ls -p PROJECT; for one computer: vc get COMPUTER. See: vc ls --help',
    ],
    ['key ls extra', 'see: vc key ls --help'],
    ['resize desk', `${RESOLUTION} See: vc --help`],
    ['computer resize desk', `${RESOLUTION} See: vc computer --help`],
    ['help ps', 'Did you mean vc ls? See: vc --help'],
    ['help computer ps', 'Did you mean vc computer ls? See: vc computer --help'],
    ['help exit-code', 'Did you mean vc help exit-codes? See: vc --help'],
  ])('vc %s', async (line, remedy) => {
    const { code, stdout, stderr } = await world.run(line.split(' '));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.endsWith(`${remedy}\n`), stderr).toBe(true);
    expect(world.service.received).toEqual([]);
  });
});
