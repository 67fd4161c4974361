import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorld, type World } from '../../support/run.js';

const time = '2026-11-23T04:00:00.000Z';
const secret = { name: 'PASSWORD', created_at: time, updated_at: time };

let world: World;
beforeEach(async () => {
  world = await openWorld();
  world.service.on('PUT /projects/demo/secrets/PASSWORD', secret);
  world.service.on('GET /projects/demo/secrets', { secrets: [secret] });
  world.service.on('DELETE /projects/demo/secrets/PASSWORD', { success: true });
});
afterEach(() => world.close());

test.each([
  ['s3cret', 's3cret'],
  ['s3cret\n', 's3cret'],
  ['two\r\nlines\r\n', 'two\r\nlines'],
  [' kept \n', ' kept '],
])('vc secret set sends %j from stdin as %j', async (stdin, value) => {
  const { code, stdout, stderr } = await world.run(['secret', 'set', 'PASSWORD', '-p', 'demo'], {
    stdin,
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toBe('set secret PASSWORD of project demo\n');
  expect(world.service.received.at(-1)?.body).toEqual({ value });
});

test('vc secret set prompts on a terminal, without echo', async () => {
  const argv = ['secret', 'set', 'PASSWORD', '-p', 'demo'];
  const { code, stdout, stderr } = await world.run(argv, { terminal: true, stdin: 's3cret\r' });
  expect(code).toBe(0);
  expect(stderr).toContain('Value of PASSWORD: ');
  expect(stdout + stderr).not.toContain('s3cret');
  expect(world.service.received.at(-1)?.body).toEqual({ value: 's3cret' });
});

test('vc secret set takes no value as an argument, and none that is empty', async () => {
  const argv = ['secret', 'set', 'PASSWORD', '-p', 'demo'];
  expect((await world.run([...argv, 's3cret'], { stdin: 'x' })).code).toBe(2);
  const empty = await world.run(argv, { stdin: '\n' });
  expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('no value given')]);
  expect(world.service.received).toEqual([]);
});

test('vc secret ls and rm', async () => {
  expect((await world.run(['secret', 'ls', '-p', 'demo', '-q'])).stdout).toBe('PASSWORD\n');
  const dry = await world.run(['secret', 'rm', 'PASSWORD', '-p', 'demo', '--dry-run']);
  expect(dry.stderr).toBe('would remove secret PASSWORD\n');
  expect((await world.run(['secret', 'rm', 'NONE', '-p', 'demo', '--dry-run'])).code).toBe(5);
  const removed = await world.run(['secret', 'rm', 'PASSWORD', '-p', 'demo', '--yes']);
  expect([removed.code, removed.stderr]).toEqual([0, 'removed secret PASSWORD\n']);
  expect(world.service.received.at(-1)?.method).toBe('DELETE');
});

test('vc type and vc computer use name the secrets that they allow', async () => {
  world.service.on('POST /projects/demo/computers/desk/type', { success: true });
  await world.run(['type', 'demo/desk', '{{secret:A}}', '--secret', 'A', '--secret', 'B']);
  expect(world.service.received.at(-1)?.body).toEqual({
    text: '{{secret:A}}',
    secrets: ['A', 'B'],
  });
  const answer = { success: true, results: [], frames: [], confirm: [] };
  world.service.on('POST /projects/demo/computers/desk/computer-use', answer);
  await world.run(['computer', 'use', 'demo/desk', '-', '--secret', 'A'], { stdin: '[{}]' });
  expect(world.service.received.at(-1)?.body).toMatchObject({ secrets: ['A'] });
});
