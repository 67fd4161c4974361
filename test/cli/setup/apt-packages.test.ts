import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { missingPackages } from '../../../src/cli/setup/plan.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-packages-'));
  mkdirSync(join(directory, 'bin'));
  writeFileSync(join(directory, 'bin/server-a'), '', { mode: 0o755 });
  writeFileSync(join(directory, 'a-file'), '');
});
afterEach(() => rmSync(directory, { recursive: true }));

it.each([
  ['server-a', true],
  ['server-b', false],
  [['server-b', 'server-a'], true],
  [['server-b', 'server-c'], false],
])('finds a package by %j: %s', async (sign, isFound) => {
  const server = { sign, name: 'server', purpose: 'for the test' };
  const env = { PATH: join(directory, 'bin') };
  expect(await missingPackages([server], env)).toEqual(isFound ? [] : [server]);
});

it('finds a package by a file', async () => {
  const server = {
    sign: ['server-b', join(directory, 'a-file')],
    name: 'server',
    purpose: 'for it',
  };
  expect(await missingPackages([server], { PATH: join(directory, 'bin') })).toEqual([]);
});
