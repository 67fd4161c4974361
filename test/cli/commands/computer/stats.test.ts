import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Interrupts } from '../../../../src/cli/framework/interrupts.js';
import { memorySize } from '../../../../src/cli/output/size.js';
import { computer, openWorld, type World } from '../../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
  world.service.on('GET /computers', { computers: [a, b, off], next_cursor: null });
  for (const each of [a, b, off]) {
    world.service.on(`GET /projects/demo/computers/${each.name}`, each);
  }
  world.service.on(`GET /computers/${a.id}/stats`, stats);
  world.service.on(`GET /computers/${b.id}/stats`, { ...stats, cpu_percent: 140 });
  world.service.fail(
    `GET /computers/${off.id}/stats`,
    400,
    'not_running',
    'It is stopped.',
    'start',
  );
});
afterEach(() => world.close());

const a = { ...computer, id: 'cmp_a0000000000000000000', name: 'a' };
const b = { ...computer, id: 'cmp_b0000000000000000000', name: 'b' };
const off = { ...computer, id: 'cmp_c0000000000000000000', name: 'off', status: 'stopped' };
const stats = {
  ...{ at: computer.created_at, cpu_percent: 12.34, cpu_seconds: 5.5, cpu: 2 },
  ...{ memory_used_bytes: 536_870_912, memory_total_bytes: 2 ** 31 },
  ...{ disk_used_bytes: 12_300_000, disk_total_bytes: null },
};

test('shows the usage of all running computers', async () => {
  const { code, stdout, stderr } = await world.run(['computer', 'stats']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe(
    [
      'NAME\tCPU\tMEMORY\tDISK\tCORES\tCPU TIME',
      'demo/a\t12.3%\t512 MiB of 2 GiB\t12.3 MB\t2\t5.5 s',
      'demo/b\t140.0%\t512 MiB of 2 GiB\t12.3 MB\t2\t5.5 s\n',
    ].join('\n'),
  );
  const narrow = await world.run(['stats'], { terminal: true, columns: 50 });
  const lines = stripVTControlCharacters(narrow.stdout).trimEnd().split('\n');
  expect(lines[1]).toBe('demo/a  12.3%   512 MiB of 2 GiB  12.3 MB  2');
});

test('--json has the numbers, --sort orders', async () => {
  const json = await world.run(['stats', '--json']);
  expect(JSON.parse(json.stdout)).toEqual({
    computers: [
      { id: a.id, name: 'demo/a', ...stats },
      { id: b.id, name: 'demo/b', ...stats, cpu_percent: 140 },
    ],
  });
  const sorted = await world.run(['stats', '--sort', '-cpu', '--json=name']);
  expect(sorted.stdout).toBe('{"computers":[{"name":"demo/b"},{"name":"demo/a"}]}\n');
});

test('a named computer that cannot be measured is an error, the others are shown', async () => {
  const { code, stdout, stderr } = await world.run(['stats', 'demo/a', 'demo/off']);
  expect(code).toBe(6);
  expect(stdout).toMatch(/^NAME.*\ndemo\/a\t12.*\ndemo\/off\t-\t-\t-\t-\t-\n$/);
  expect(stderr).toBe('error: demo/off: It is stopped.\n       start\n');
  const alone = await world.run(['stats', 'demo/off']);
  expect(alone).toMatchObject({ code: 6, stdout: '', stderr });
  const json = await world.run(['stats', 'demo/off', '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({
    computers: [{ name: 'demo/off', error: { code: 'not_running' } }],
  });
  expect(json.code).toBe(6);
  expect((await world.run(['stats', 'demo/none'])).code).toBe(5);
});

test('a computer that stops during the measurement is omitted', async () => {
  world.service.fail(`GET /computers/${b.id}/stats`, 400, 'not_running', 'It is stopped.');
  const { code, stdout } = await world.run(['stats', '-q']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${a.id}\n` });
});

test('an unavailable engine is reported for its computers, with its exit code', async () => {
  world.service.fail(`GET /computers/${b.id}/stats`, 503, 'engine_unavailable', 'No Docker.');
  const { code, stdout, stderr } = await world.run(['stats']);
  expect(code).toBe(7);
  expect(stdout).toContain('demo/a\t12.3%');
  expect(stderr).toContain('error: demo/b: No Docker.');
});

test('without running computers a message says so', async () => {
  world.service.on('GET /computers', { computers: [off], next_cursor: null });
  const { code, stdout, stderr } = await world.run(['stats']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toBe('no computers are running; start one: vc start COMPUTER\n');
});

test('--watch continues until Ctrl-C', async () => {
  const interrupts = new Interrupts();
  let rounds = 0;
  world.service.handle(`GET /computers/${a.id}/stats`, (_, response) => {
    rounds += 1;
    if (rounds > 2) interrupts.trigger('SIGINT');
    else response.end(JSON.stringify({ ...stats, cpu_seconds: rounds }));
  });
  const argv = ['stats', 'demo/a', '--watch', '--interval=0.1s', '--json=cpu_seconds'];
  const { code, stdout } = await world.run(argv, { interrupts });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '{"cpu_seconds":1}\n{"cpu_seconds":2}\n' });
});

test.each([
  [['--sort', 'ram'], 'must be name, cpu, memory or disk'],
  [['-o', 'csv'], 'must be wide, json or yaml'],
  [['--json=ram'], 'there is no field'],
])('stats %j is a usage error', async (words, message) => {
  const { code, stderr } = await world.run(['stats', ...words]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(world.service.received).toEqual([]);
});

test('memory is shown in powers of 1024', () => {
  const sizes = [0, 1e6, 999 * 2 ** 20, 1000 * 2 ** 20, 2 ** 31, 2.5 * 2 ** 30];
  expect(sizes.map(memorySize)).toEqual([
    ...['0 MiB', '1 MiB', '999 MiB', '1 GiB', '2 GiB', '2.5 GiB'],
  ]);
});
