import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { displayWidth } from '../../../../src/cli/output/layout/fit-columns.js';
import { openWorld, type World } from '../../support/run.js';

const entry = {
  date: '2026-11-23',
  key: { id: 'key_0123456789abcdefghjk', name: 'laptop', deleted: false },
  project: { id: 'prj_0123456789abcdefghjk', name: 'shop', deleted: false },
  ...{ computers: 2, computer_seconds: 7200, actions: 340, bytes: 1_048_576 },
};
const long = {
  ...entry,
  key: { id: 'key_1123456789abcdefghjk', name: 'continuous-integration-web', deleted: true },
  project: { ...entry.project, name: 'web-frontend-regression-tests' },
};
const unnamed = {
  ...entry,
  key: { id: 'key_2123456789abcdefghjk', name: null, deleted: true },
  project: null,
};

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const answer = (days: readonly unknown[]) =>
  world.service.on('GET /usage', {
    days,
    limits: { max_running: 2, max_storage: 50 },
    now: { running: 1, storage_bytes: 0, build_cache_bytes: 0 },
  });

test('names deleted keys, also those whose name is not known', async () => {
  answer([long, unnamed]);
  const { stdout } = await world.run(['usage']);
  const keys = stdout.split('\n').map((line) => line.split('\t')[2]);
  expect(keys.slice(1, 3)).toEqual([
    'continuous-integration-web (deleted)',
    'key_212345 (deleted)',
  ]);
});

test.each([
  [60, 'DATE PROJECT KEY HOURS ACTIONS'],
  [80, 'DATE PROJECT KEY HOURS ACTIONS'],
  [200, 'DATE PROJECT KEY COMPUTERS HOURS ACTIONS MIB'],
])('a row is one line of a terminal with %i columns', async (columns, header) => {
  answer([entry, long]);
  const { stdout } = await world.run(['usage'], { terminal: true, columns });
  const lines = stripVTControlCharacters(stdout).trimEnd().split('\n');
  expect(lines[0]?.split(/ +/).join(' ')).toBe(header);
  expect(lines).toHaveLength(3);
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns);
});
