import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, type World } from '../../support/run.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

async function hint(line: string): Promise<string> {
  const { code, stderr } = await world.run(line.split(' '));
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/unknown option|too many arguments/),
  });
  return stderr;
}

test.each([
  'screenshot desk --stable',
  'computer screenshot desk --stable',
  'click desk 1 1 --stable',
  'type desk hello --wait',
  'press desk ctrl-s --stable=true',
  'computer mouse-down desk --stable',
  'scroll desk 1 1 --stable',
])('vc %s: suggests --settle', async (line) => {
  expect(await hint(line)).toContain('Did you mean --settle?');
});

test.each(['wait desk --settle', 'computer wait desk --settle', 'wait desk --idle'])(
  'vc %s: suggests --stable',
  async (line) => {
    expect(await hint(line)).toContain('Did you mean --stable?');
  },
);

test.each(['--duration', '--duration=10s', '--seconds', '--time', '--timeout', '-t', '-d'])(
  'vc record %s: suggests --for',
  async (option) => {
    expect(await hint(`record desk ${option}`)).toContain('Did you mean --for?');
    expect(await hint(`computer record desk ${option}`)).toContain('--for 10s');
  },
);

test.each([
  ['create web api', 'Create one computer at a time'],
  ['computer create web api db', 'Create one computer at a time'],
  ['computer stream start desk rtmp://live.example.com/app', '--connection'],
  ['connection add yt rtmp://live.example.com/app --key abc', '--key-stdin'],
  ['reset desk clean --yes', 'It asks no question'],
  ['sync src desk:src --ignore build', '--exclude PATTERN'],
  ['sync src desk:src --both', 'in each direction, with --update'],
  ['login http://127.0.0.1:4700/api --key-stdin', 'reads it from stdin'],
  ['login http://127.0.0.1:4700/api --token abc', 'reads it from stdin'],
])('vc %s: %s', async (line, expected) => {
  expect(await hint(line)).toContain(expected);
});
