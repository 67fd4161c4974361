// @module-tag slow
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import * as module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const BIN = fileURLToPath(new URL('../../../bin/', import.meta.url));
/** A command line that prints how many threads libuv has started for its pool. */
const ENTRY = `
import { readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
await stat('/');
console.log(process.env.UV_THREADPOOL_SIZE, readdirSync('/proc/self/task').length);
`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vc-launcher-'));
  for (const directory of ['bin', 'dist', 'dist/cli']) mkdirSync(join(root, directory));
  for (const file of ['vc.js', 'package.json'])
    copyFileSync(join(BIN, file), join(root, 'bin', file));
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  writeFileSync(join(root, 'dist/cli/entry.js'), ENTRY);
});
afterEach(() => rmSync(root, { recursive: true }));

function run(command: string, env: Record<string, string> = {}) {
  const args = [join(root, 'bin/vc.js'), command];
  const [variable, threads] = execFileSync(process.execPath, args, { encoding: 'utf8', env })
    .trim()
    .split(' ');
  return { variable, threads: Number(threads) };
}

test.runIf(process.platform === 'linux')(
  'the service has eight threads for files and pictures',
  () => {
    const command = run('ls');
    expect(command.variable).toBe('undefined');
    expect(run('serve')).toEqual({ variable: '8', threads: command.threads + 4 });
  },
);

test.runIf(process.platform === 'linux')(
  'the number of threads that the user has set stays',
  () => {
    const { threads } = run('ls');
    expect(run('serve', { UV_THREADPOOL_SIZE: '6' })).toEqual({
      variable: '6',
      threads: threads + 2,
    });
  },
);

test("compiled code is kept in the user's own cache directory, not in that for temporary files", () => {
  for (const name of ['tmp', 'cache']) mkdirSync(join(root, name));
  run('ls', { TMPDIR: join(root, 'tmp'), XDG_CACHE_HOME: join(root, 'cache') });
  expect(readdirSync(join(root, 'tmp'))).toEqual([]);
  // Node.js 22 and later.
  expect(existsSync(join(root, 'cache/vc/node'))).toBe('enableCompileCache' in module);
});
