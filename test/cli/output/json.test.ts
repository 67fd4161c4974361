import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fields } from '../../../src/cli/output/fields.js';
import { Job } from '../../../src/contract/jobs.js';
import { CreatedOwner, Owner } from '../../../src/contract/owners.js';
import * as resources from '../../../src/contract/resources.js';
import { Connection } from '../../../src/contract/streams.js';
import { computer, openWorld, project, type World } from '../support/run.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  const one = { ...computer, name: 'one' };
  world.service.on('GET /projects', { projects: [project] });
  world.service.on('GET /projects/demo/computers', {
    computers: [one, { ...computer, name: 'two' }],
  });
  world.service.on('GET /projects/demo/computers/one', one);
});
afterAll(() => world.close());

describe('the documented fields match the contract', () => {
  test.each([
    ['computer', resources.Computer],
    ['project', resources.Project],
    ['projectWithComputers', resources.ProjectWithComputers],
    ['key', resources.Key],
    ['createdKey', resources.CreatedKey],
    ['action', resources.Action],
    ['job', Job],
    ['owner', Owner],
    ['createdOwner', CreatedOwner],
    ['connection', Connection],
    ['volume', resources.Volume],
    // Added by the client.
    ['me', resources.Me.extend({ base_url: z.string(), profile: z.string() })],
  ] as const)('%s', (name, schema) => {
    expect([...fields[name]].sort()).toEqual(Object.keys(schema.shape).sort());
  });
});

test('--json with fields prints these fields of each object in order', async () => {
  const { code, stdout } = await world.run(['computer', 'ls', '-p', 'demo', '--json=name,status']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    computers: [
      { name: 'one', status: 'running' },
      { name: 'two', status: 'running' },
    ],
  });
});

test('a missing field is null', async () => {
  const { stdout } = await world.run(['computer', 'get', 'demo/one', '--json=name,status_reason']);
  expect(JSON.parse(stdout)).toEqual({ name: 'one', status_reason: null });
});

test('an unknown field is a usage error that lists the others, before any request', async () => {
  const before = world.service.received.length;
  const { code, stdout, stderr } = await world.run([
    ...['computer', 'create', 'demo/three', '--json=naem'],
  ]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(JSON.parse(stderr).error.message).toContain('did you mean name?');
  expect(JSON.parse(stderr).error.hint).toContain('fields: id, name, os');
  expect(world.service.received.length).toBe(before);
});

test("the error for an incomplete jq expression refers to the user's text", async () => {
  const { code, stderr } = await world.run(['computer', 'ls', '-p', 'demo', '--jq', '.[']);
  expect(code).toBe(2);
  const { message } = JSON.parse(stderr).error;
  expect(message).toBe('--jq: syntax error, it ends too early');
});

test('an error on a terminal is a text with --jq, and indented JSON with --json', async () => {
  const terminal = { terminal: true, columns: 60, env: { NO_COLOR: '1' } };
  for (const argv of [
    ['computer', 'ls', '-p', 'demo', '--jq', '.['],
    ['computer', 'ls', '-p', 'demo', '--jq', '.computers[].name.x'],
    ['computer', 'get', 'demo/none', '--json', '--jq', '.name'],
  ]) {
    const { code, stderr } = await world.run(argv, terminal);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(/^error: (--jq: \w|There is no)/);
    expect(stderr).not.toContain('{"');
    for (const line of stderr.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  }
  const { stderr } = await world.run(['computer', 'get', 'demo/none', '--json'], terminal);
  expect(stderr).toMatch(/^\{\n {2}"error": \{\n {4}"code": "not_found",\n/);
  expect(JSON.parse(stderr).error.message).toMatch(/^There is no/);
});

test('--jq prints strings without quotes and the rest as JSON, one per line', async () => {
  const jq = (expression: string) =>
    world.run(['computer', 'ls', '-p', 'demo', '--jq', expression]);
  expect((await jq('.computers[].name')).stdout).toBe('one\ntwo\n');
  expect((await jq('.computers | length')).stdout).toBe('2\n');
  expect((await jq('.computers[] | {name}')).stdout).toBe('{"name":"one"}\n{"name":"two"}\n');
  expect((await jq('empty')).stdout).toBe('');
});

test('an invalid jq expression fails before any request', async () => {
  const before = world.service.received.length;
  const { code, stderr } = await world.run(['computer', 'create', 'demo/four', '--jq', '.a[']);
  expect(code).toBe(2);
  expect(JSON.parse(stderr).error.message).toMatch(/^--jq: .*syntax error/);
  expect(world.service.received.length).toBe(before);
});
