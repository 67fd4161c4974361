import { expect, test } from 'vitest';
import { fileError } from '../../../src/shell/files/errors.js';
import { guestPath, splitPath, withoutSlash } from '../../../src/shell/files/path.js';

test('paths start from the home directory, and nothing but ~/ is special', () => {
  expect(['~', '~/a', 'a', '/a', '~b', '-rf', '$(x)', '../a'].map(guestPath)).toEqual([
    '.',
    './a',
    'a',
    '/a',
    '~b',
    '-rf',
    '$(x)',
    '../a',
  ]);
  expect(() => guestPath('')).toThrow('must not be empty');
  expect(() => guestPath('a\0b')).toThrow('NUL');
  expect(splitPath('/a/b')).toEqual({ directory: '/a', name: 'b' });
  expect(splitPath('/a')).toEqual({ directory: '/', name: 'a' });
});

test('converts an SFTP status to an error that names the path', () => {
  const of = (code: unknown) => fileError(Object.assign(new Error('x'), { code }), 'read', '/p q');
  expect(of(2)).toMatchObject({
    code: 'not_found',
    message: 'There is no "/p q" in the computer.',
  });
  expect(of(3)).toMatchObject({ code: 'invalid_request' });
  expect(of(3).message).toContain('may not read "/p q"');
  expect(of(5)).toMatchObject({ code: 'invalid_request' });
  expect(of(8)).toMatchObject({ code: 'unsupported' });
  expect(of(4)).toMatchObject({ code: 'invalid_request' });
  expect(of('ECONNRESET')).toMatchObject({ code: 'guest_failed' });
});

test('slashes at the end are removed, except the root', () => {
  const paths = ['/', '//', '/a', '/a/', 'a//', '/a//b///', '~/', './'];
  expect(paths.map(withoutSlash)).toEqual(['/', '/', '/a', '/a', 'a', '/a//b', '~', '.']);
});

test('slashes within a path take about as long as letters', () => {
  const took = (path: string) => {
    const times = Array.from({ length: 5 }, () => {
      const start = performance.now();
      expect(withoutSlash(path)).toBe(path);
      return performance.now() - start;
    });
    return Math.min(...times);
  };
  expect(took(`a${'/'.repeat(20_000)}b`) / took('a'.repeat(20_002))).toBeLessThan(100);
});
