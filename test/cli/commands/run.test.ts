import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorld, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const route = 'POST /projects/demo/computers/desktop/batch';
const run = ['computer', 'run', 'demo/desktop'];
const script = '{"action":"click","x":1,"y":2}\n\n{"action":"type","text":"hi"}\n';

test('a script is sent as one batch, with one line per result', async () => {
  const results = [{ success: true }, { success: true, settled: false }];
  world.service.on(route, { success: true, results });
  await writeFile(join(world.directory, 'login.jsonl'), script);
  const { code, stdout, stderr } = await world.run([...run, 'login.jsonl']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(results);
  expect(world.service.received).toHaveLength(1);
  expect(world.service.received[0]?.body).toEqual({
    actions: [
      { action: 'click', x: 1, y: 2 },
      { action: 'type', text: 'hi' },
    ],
  });
});

test('the first failure is reported with its line, after the earlier results', async () => {
  const results = [
    { success: true },
    { success: false, error: 'the point is outside', code: 'off_screen' },
  ];
  world.service.on(route, { success: false, results });
  const { code, stdout, stderr } = await world.run([...run, '-'], { stdin: script });
  expect(code).toBe(1);
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(stderr).toBe('error: line 3 (type): the point is outside\n');
});

test('a validation error names the line', async () => {
  world.service.fail(route, 400, 'unknown_key', 'actions.1.key: no key is called "x y"');
  const { code, stderr } = await world.run([...run, '-'], { stdin: script });
  expect(code).toBe(1);
  expect(stderr).toContain('error: line 3: key: no key is called "x y"');
});

test.each([
  ['no JSON', '{"action":"click"}\nclick 1 2\n', 'line 2 of the script is not a JSON object'],
  ['a number', '7\n', 'line 1 of the script is not a JSON object'],
  ['nothing', '\n', 'the script is empty'],
])('%s is a usage error', async (_, stdin, message) => {
  const { code, stderr } = await world.run([...run, '-'], { stdin });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(world.service.received).toHaveLength(0);
});

test.each([
  ['computer', 'run', 'demo/desktop', 'large'],
  ['computer', 'bash', 'demo/desktop', '-f', 'large'],
  ['computer', 'python', 'demo/desktop', '-f', 'large'],
])('%s %s: a file that is too large is refused before it is read', async (...argv) => {
  await writeFile(join(world.directory, 'large'), '');
  await truncate(join(world.directory, 'large'), 200 << 20);
  const { code, stderr } = await world.run(argv);
  expect(stderr).toMatch(/^error: cannot read large: it is larger than 8 MiB\n/);
  expect(code).toBe(argv[1] === 'run' ? 2 : 125);
  expect(world.service.received).toEqual([]);
});

test('stdin that is too long is refused', async () => {
  const stdin = 'x'.repeat((8 << 20) + 1);
  const { code, stderr } = await world.run(['computer', 'type', 'demo/desktop', '-'], { stdin });
  expect({ code, stderr: stderr.split('\n')[0] }).toEqual({
    code: 2,
    stderr: 'error: stdin is larger than 8 MiB',
  });
});

test('on a terminal, results of a guest cannot control it', async () => {
  const hostile = '\u001b]0;x\u0007\u009b31m\u202e';
  world.service.on(route, { success: true, results: [{ success: true, output: hostile }] });
  await writeFile(join(world.directory, 'login.jsonl'), script);
  const { stdout } = await world.run([...run, 'login.jsonl'], { terminal: true });
  expect(stdout.trimEnd()).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(JSON.parse(stdout)).toMatchObject({ output: hostile });
});
