import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorld, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

test.each([
  ['galaxy ls --help', "unknown command 'galaxy'"],
  ['computr --help', "unknown command 'computr'"],
  ['--help computr', "unknown command 'computr'"],
  ['computer strat -h', "unknown command 'strat'"],
  ['-p demo computr ls --help', "unknown command 'computr'"],
])('vc %s is an unknown command, with or without --help', async (line, message) => {
  const argv = line.split(' ');
  const { code, stdout, stderr } = await world.run(argv);
  expect(stderr).toContain(`error: ${message}`);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  const without = await world.run(argv.filter((word) => !/^--?h/.test(word)));
  expect(without).toMatchObject({ code, stdout, stderr });
});

test.each(['--help', 'computer --help', 'computers -h', 'computer ls --help', '-p x --help'])(
  'vc %s prints help',
  async (line) => {
    const { code, stdout, stderr } = await world.run(line.split(' '));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: vc/);
  },
);
