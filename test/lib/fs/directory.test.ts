import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeDirectory } from '../../../src/lib/fs/directory.js';

const root = mkdtempSync(join(tmpdir(), 'vc-directory-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a directory is created with its parents, mode 0700, and may exist already', () => {
  const path = join(root, 'a', 'b', 'c');
  makeDirectory(path);
  makeDirectory(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o700);
});

test.skipIf(!existsSync('/proc/self'))('fails at once if the directory cannot be created', () => {
  expect(() => makeDirectory('/proc/vc/state')).toThrow('ENOENT');
});

test('fails below a file', () => {
  makeDirectory(root);
  writeFileSync(join(root, 'file'), '');
  expect(() => makeDirectory(join(root, 'file', 'below'))).toThrow('ENOTDIR');
});
