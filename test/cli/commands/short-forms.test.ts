import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tree } from '../../../src/cli/commands/tree.js';
import { isGroup, type Single } from '../../../src/cli/framework/nodes.js';
import { openWorld, type World } from '../support/run.js';

const shortForms = tree.flatMap((node): Required<Single>[] =>
  !isGroup(node) && node.shortFor !== undefined
    ? [{ aliases: [], ...node } as Required<Single>]
    : [],
);

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

test.each(shortForms)('vc $name has the names of its command', async (node) => {
  const { command } = await node.load();
  const names = [command.name, ...(command.aliases ?? [])];
  expect(names).toEqual(expect.arrayContaining([node.name, ...node.aliases]));
  expect(node.shortFor).toEqual([node.shortFor[0], command.name]);
});

test('names at the top level are unique', () => {
  const names = tree.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(names).toEqual([...new Set(names)]);
});

describe('help', () => {
  test.each(shortForms)(
    'of vc $name is that of the command, and names both forms',
    async (node) => {
      const { name, shortFor } = node;
      const long = `vc ${shortFor.join(' ')}`;
      const short = await world.run([name, '--help']);
      expect(short.code).toBe(0);
      expect(short.stdout).toMatch(new RegExp(`^Usage: vc ${name}[| ]`));
      expect(short.stdout).toContain(`Same as \`${long}\`.`);
      const full = await world.run([...shortFor, '--help']);
      expect(full.stdout).toContain(`Same as \`vc ${name}\`.`);
      const body = (text: string) => text.replace(/^Usage: .*/, '').replace(/^Same as .*/m, '');
      expect(body(short.stdout)).toBe(body(full.stdout));
      expect((await world.run(['help', name])).stdout).toBe(short.stdout);
    },
  );

  test('of vc lists the common commands first', async () => {
    const { stdout } = await world.run(['--help']);
    const headings = stdout.match(/^[A-Z][a-z ]+:$/gm);
    expect(headings?.slice(0, 4)).toEqual([
      ...['Options:', 'Common commands:', 'Computer commands:', 'Management commands:'],
    ]);
    expect(stdout).toMatch(/\nCommon commands:\n {2}create .*\n {2}ls .*List computers\n/);
  });
});

test('errors name the short form that was typed', async () => {
  const missing = await world.run(['rm']);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain('see: vc rm --help');
  const option = await world.run(['ls', '--al']);
  expect(option.code).toBe(2);
  expect(option.stderr).toContain('vc ls --help');
});

test('vc key still manages API keys', async () => {
  world.service.on('GET /keys', { keys: [] });
  expect((await world.run(['key', 'ls'])).code).toBe(0);
  expect(world.service.received.at(-1)?.url).toBe('/api/keys');
});
