import { afterAll, beforeAll, expect, test } from 'vitest';
import { jqExamples } from '../../../src/cli/framework/topics/topics.js';
import { computer, openWorld, type World } from '../support/run.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  const old = {
    ...computer,
    ...{ name: 'old', status: 'running', created_at: '2025-01-02T03:04:05.067Z' },
    started_at: '2025-01-02T03:04:06.317Z',
  };
  const created_at = new Date(Date.now() - 90_000).toISOString();
  const young = { ...computer, name: 'young', status: 'stopped', created_at, started_at: null };
  world.service.on('GET /projects', { projects: [] });
  world.service.on('GET /computers', { computers: [old, young] });
  const key = { id: 'key_1', name: 'laptop', deleted: false };
  const day = { date: '2026-11-23', key, project: null, computer_seconds: 5400 };
  world.service.on('GET /usage', { days: [day, day] });
});
afterAll(() => world.close());

test.each(jqExamples)('the help of --jq: $does', async ({ command }) => {
  const [, words = '', expression = ''] = /^vc (.+?) --jq '([^']+)'$/s.exec(command) ?? [];
  const { code, stdout, stderr } = await world.run([...words.split(' '), '--jq', expression]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.replace(/^old \d{5,}$/m, 'old 12345')).toMatchSnapshot();
});

test('lines of the help of --jq fit a terminal with 80 columns', async () => {
  const { stdout } = await world.run(['help', 'jq']);
  for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
});

test('fromdate without cutting the milliseconds: the error says how', async () => {
  const { code, stderr } = await world.run(['ls', '--jq', '.computers[].created_at | fromdate']);
  expect(code).toBe(2);
  const { error } = JSON.parse(stderr);
  expect(error.message).toMatch(/^--jq: date "2025-01-02T03:04:05.067Z" does not match format/);
  expect(error.hint).toContain('.created_at[:19] + "Z" | fromdate');
});
