import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openWorld, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const TASK = '{agent: ./a.sh, check: {file: x}}';

it.each([
  ['name: x\ntasks: {}', /^error: tasks\.yaml:2:8: tasks must have at least one task$/m],
  ['name: x\ntasks: {a: {agent: b}}', /tasks\.yaml:2:9: tasks\.a\.check is missing/],
  [
    `name: x\ntasks: {a: ${TASK}}\nsecret: []`,
    /3:1: secret is not a known key; did you mean secrets\?/,
  ],
  [
    `name: x\ntasks:\n  a:\n    agent: b\n    chek: {file: x}`,
    /tasks\.yaml:5:5: tasks\.a\.chek is not a known key; did you mean check\?/,
  ],
  [`name: x\ntasks: {a b: ${TASK}}`, /tasks\.yaml:2:9: tasks\.a b must have names of 1 to 48/],
  [
    'name: x\ntasks:\n  a:\n    agent: b\n    check: {files: x}',
    /tasks\.yaml:5:12: tasks\.a\.check must have exactly one of element/,
  ],
  [
    'name: x\ntasks:\n  a: {agent: b, check: {port: 70000}}',
    /tasks\.yaml:3:31: tasks\.a\.check\.port must be/,
  ],
  [
    'name: x\ndefaults: {timeout: soon}\ntasks: {}',
    /tasks\.yaml:2:21: defaults\.timeout must be a duration from 1s to 24h/,
  ],
  [`name: x\nsecrets: [NONE]\ntasks: {a: ${TASK}}`, /2:11: secrets\.0 is not set .*: NONE/],
  [`name: x\ntasks: {a: {agent: "${'$'}{NONE}"}}`, /the variable NONE is not set/],
  [
    `name: x\ndefaults: {image: linux}\ntasks:\n  a: {from: desk, agent: b, check: {file: x}}`,
    /4:13: tasks\.a\.from cannot be combined with image/,
  ],
  ['name: x\ntasks: {a: {ram: 3, agent: b}}', /2:18: tasks\.a\.ram must be 2, 4 or 8/],
  ['name: x\ntasks: [', /tasks\.yaml:2:/],
])('names the line and column of what is wrong: %s', async (text, message) => {
  writeFileSync(join(world.directory, 'tasks.yaml'), text);
  const { code, stderr } = await world.run(['run']);
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
  expect(world.service.received).toEqual([]);
});

it('writes nothing if the service cannot be used', async () => {
  writeFileSync(join(world.directory, 'tasks.yaml'), `name: x\ntasks: {a: ${TASK}}`);
  const before = readdirSync(world.directory);
  expect((await world.run(['run'])).code).toBe(5);
  expect(readdirSync(world.directory)).toEqual(before);
});

it('prints a schema for editors', async () => {
  const { code, stdout } = await world.run(['run', '--schema']);
  expect(code).toBe(0);
  const { properties } = JSON.parse(stdout);
  expect(Object.keys(properties.tasks.additionalProperties.properties)).toEqual(
    expect.arrayContaining(['prompt', 'agent', 'check', 'timeout', 'image', 'files', 'setup']),
  );
});
