import { expect, test } from 'vitest';
import { Glob } from '../../../src/images/dockerfile/glob.js';
import { IgnoreRules } from '../../../src/images/dockerfile/ignore.js';

// From the reference of .dockerignore and the cases of moby's patternmatcher.
test.each([
  ['*', 'a', true],
  ['*', 'a/b', true],
  ['*.md', 'a.md', true],
  ['*.md', 'x/a.md', false],
  ['**/*.md', 'a.md', true],
  ['**/*.md', 'x/y/a.md', true],
  ['**', 'x/y', true],
  ['a/**', 'a/b/c', true],
  ['a/**/z', 'a/z', true],
  ['a/**/z', 'a/b/c/z', true],
  ['a/**/z', 'a/bz', false],
  ['**/foo/bar', 'foo/bar', true],
  ['**foo', 'x/yfoo', true],
  ['/a', 'a', true],
  ['./a/', 'a/b', true],
  ['a?', 'ab', true],
  ['a?', 'a/', false],
  ['[a-c]x', 'bx', true],
  ['[^a-c]x', 'bx', false],
  ['\\*', '*', true],
  ['\\*', 'a', false],
  ['a.b', 'axb', false],
  ['# not', '# not', false],
  ['  a  ', 'a', true],
  ['*\n!a', 'a', false],
  ['*\n!a\na', 'a', true],
  ['dir\n!dir/a', 'dir/a', false],
  ['dir\n!dir/a', 'dir/b', true],
  ['*/temp*', 'x/temporary/y', true],
  ['*/*/temp*', 'x/temp', false],
  ['ü*', 'üa', true],
])('with %j, %j is left out: %s', (text, path, isIgnored) => {
  expect(new IgnoreRules(text).ignores(path)).toBe(isIgnored);
});

test.each([
  ['dir\n!dir/a', 'dir', true],
  ['dir\n!dir/a', 'dir/b', false],
  ['dir\n!other', 'dir', false],
  ['dir\n!**/a', 'dir', true],
  ['dir\n!dir/*/a', 'dir/x', true],
  ['dir', 'dir', false],
])('with %j, something may be taken from %s: %s', (text, directory, may) => {
  expect(new IgnoreRules(text).mayTakeFrom(directory)).toBe(may);
});

test('a hostile pattern takes no long time', () => {
  const glob = new Glob(`${'*a'.repeat(1000)}b`);
  expect(glob.matches('a'.repeat(255))).toBe(false);
  expect(new Glob('**/'.repeat(100)).matches(`${'a/'.repeat(100)}x`)).toBe(false);
});
