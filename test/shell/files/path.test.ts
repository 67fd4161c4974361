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
  expect(of(3).remedy).toContain('sudo');
  expect(of(5)).toMatchObject({ code: 'invalid_request' });
  expect(of(8)).toMatchObject({ code: 'unsupported' });
  expect(of(4)).toMatchObject({ code: 'invalid_request' });
  expect(of('ECONNRESET')).toMatchObject({ code: 'guest_failed' });
});

test('slashes at the end are removed, except the root', () => {
  const paths = ['/', '//', '/a', '/a/', 'a//', '/a//b///', '~/', './'];
  expect(paths.map(withoutSlash)).toEqual(['/', '/', '/a', '/a', 'a', '/a//b', '~', '.']);
});

test('many slashes within a path are read once', () => {
  // More than the time limit if each slash were followed to the last.
  const path = `a${'/'.repeat(1_000_000)}b`;
  expect(withoutSlash(path)).toBe(path);
});
