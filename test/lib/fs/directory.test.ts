import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeDirectory } from '../../../src/lib/fs/directory.js';

const root = mkdtempSync(join(tmpdir(), 'vc-directory-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a directory is made with all above it, for its owner alone, and may be there already', () => {
  const path = join(root, 'a', 'b', 'c');
  makeDirectory(path);
  makeDirectory(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o700);
});

test.skipIf(!existsSync('/proc/self'))('where there can be none, that is said at once', () => {
  expect(() => makeDirectory('/proc/vc/state')).toThrow('ENOENT');
});

test('below a file there is no directory', () => {
  makeDirectory(root);
  writeFileSync(join(root, 'file'), '');
  expect(() => makeDirectory(join(root, 'file', 'below'))).toThrow('ENOTDIR');
});
