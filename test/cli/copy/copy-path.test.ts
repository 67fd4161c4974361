import { expect, test } from 'vitest';
import {
  below,
  copyName,
  isSafeLink,
  isSafeName,
  meansDirectory,
  parseCopyPath,
} from '../../../src/cli/copy/copy-path.js';

test.each([
  ['-', { kind: 'pipe' }],
  ['file', { kind: 'local', path: 'file' }],
  ['./a:b', { kind: 'local', path: './a:b' }],
  ['../a:b', { kind: 'local', path: '../a:b' }],
  ['/a:b', { kind: 'local', path: '/a:b' }],
  ['demo/desktop:', { kind: 'remote', computer: 'demo/desktop', path: '.' }],
  ['demo/my desk:/etc/a:b', { kind: 'remote', computer: 'demo/my desk', path: '/etc/a:b' }],
])('%s is understood', (text, place) => {
  expect(parseCopyPath(text)).toEqual(place);
});

test('a path without a computer is one in several', () => {
  expect(parseCopyPath(':x')).toEqual({ kind: 'remote', computer: '', path: 'x' });
});

test('a copy has the name of its source, unless the content of a directory is copied', () => {
  expect(['a/b', 'a/b/', 'b'].map(copyName)).toEqual(['b', 'b', 'b']);
  for (const path of ['.', 'a/.', '..', 'a/..', '/', '~', '']) {
    expect(copyName(path), path).toBeUndefined();
  }
  expect(['a/', '.', 'a/..', 'a/.', ''].map(meansDirectory)).not.toContain(false);
  expect(['a', 'a/.b', '...'].map(meansDirectory)).not.toContain(true);
  expect([below('a/', 'b'), below('a', 'b'), below('/', 'b')]).toEqual(['a/b', 'a/b', '/b']);
});

test('a name that leaves its directory is unsafe', () => {
  for (const name of ['', '.', '..', '../x', 'a/b', '/etc', 'a\0b']) {
    expect(isSafeName(name), name).toBe(false);
  }
  for (const name of ['...', '-rf', 'a b', '~', 'a\\b', '\n']) {
    expect(isSafeName(name, 'linux'), name).toBe(true);
  }
  for (const name of ['a\\b', '..\\x', 'C:', 'C:x', 'a:stream', 'a/b', '..']) {
    expect(isSafeName(name, 'win32'), name).toBe(false);
  }
  expect(isSafeName('a b.txt', 'win32')).toBe(true);
});

test('a link is safe if it stays in the tree', () => {
  for (const [target, depth, platform] of [
    ['a', 0],
    ['a/b', 0],
    ['../a', 1],
    ['../../a/b', 2],
    ['..', 1],
    ['./a', 0],
    ['../a', 1, 'win32'],
    ['a b/c', 0, 'win32'],
    ['a\\..\\b', 0, 'linux'],
    ['C:x', 0, 'linux'],
  ] as const) {
    expect(isSafeLink(target, depth, platform), target).toBe(true);
  }
  for (const [target, depth, platform] of [
    ['', 5],
    ['/etc/passwd', 5],
    ['../a', 0],
    ['../../a', 1],
    ['..\\x', 0, 'win32'],
    ['..\\..\\x', 1, 'win32'],
    ['a\\..\\..\\x', 1, 'win32'],
    ['\\x', 5, 'win32'],
    ['\\\\host\\share', 5, 'win32'],
    ['C:\\x', 5, 'win32'],
    ['C:x', 5, 'win32'],
    ['a:stream', 5, 'win32'],
    ['../a', 0, 'win32'],
    // Through another link such as `a -> .`.
    ['a/../../b', 1],
    ['./../a', 1],
  ] as const) {
    expect(isSafeLink(target, depth, platform), target).toBe(false);
  }
});

test('a path of Windows has the name behind its last backslash', () => {
  expect(['C:\\a\\b.txt', 'C:\\b', 'a\\b'].map(copyName)).toEqual(['b.txt', 'b', 'a\\b']);
  expect(['C:\\', 'd:\\.'].map(copyName)).toEqual([undefined, undefined]);
  expect(meansDirectory('C:\\dir\\')).toBe(true);
  expect(meansDirectory('C:\\dir')).toBe(false);
});
