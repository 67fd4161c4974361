import { describe, expect, it } from 'vitest';
import { CreateComputer, UpdateComputer } from '../../src/contract/resources.js';

const MIB = 1024 * 1024;

/** The messages for a computer that is created with these fields. */
function problems(fields: object): string[] {
  const { error } = CreateComputer.safeParse({ name: 'desk', ...fields });
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`);
}

const file = (fields: object) => problems({ files: [{ path: 'x', content: '', ...fields }] });

describe('what a computer is created with', () => {
  it('is taken if it is right', () => {
    const files = [
      { path: '/etc/app.json', content: '{}', mode: '600' },
      { path: '~/a b/ü', content_base64: 'AAEC' },
      { path: '.config/..x/y...', content: '' },
      { path: 'large', content: 'a'.repeat(MIB - 5) },
    ];
    const more = { timezone: 'America/Argentina/Buenos_Aires', locale: 'sr_RS.UTF-8@latin' };
    expect(problems({ env: { A: '', _b1: 'x\ny' }, files, setup: 'exit 0', ...more })).toEqual([]);
    expect(problems({ timezone: 'UTC', locale: 'C.UTF-8', sudo: false })).toEqual([]);
  });

  it.each<[string, object, RegExp]>([
    ['a name of a variable that is none', { env: { 'A-B': '1' } }, /name of a variable/],
    ['a name with an equals sign', { env: { 'A=B': '1' } }, /name of a variable/],
    ['an empty name', { env: { '': '1' } }, /name of a variable/],
    ['NUL in a value', { env: { A: 'a\0b' } }, /^env.A must have no NUL$/],
    ['a number', { env: { A: 1 } }, /^env.A must be a string$/],
    ['null for a new computer', { env: { A: null } }, /^env.A must be a string$/],
    ['a list', { env: ['A=1'] }, /object of strings/],
    ['a variable that bash does not change', { env: { UID: '0' } }, /read-only in bash/],
    [
      'too many variables',
      { env: Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`A${i}`, ''])) },
      /at most 256/,
    ],
    [
      'too much in variables',
      { env: { A: 'a'.repeat(32_768), B: 'b'.repeat(32_767) } },
      /65536 characters in all/,
    ],
    ['an empty setup', { setup: '' }, /^setup must not be empty$/],
    ['a setup of 10 MB', { setup: 'a'.repeat(10_000_000) }, /at most 262144/],
    ['NUL in a setup', { setup: 'a\0' }, /no NUL/],
    ['an unknown time zone', { timezone: 'Europe/Atlantis' }, /time zone/],
    ['a time zone in another case', { timezone: 'europe/berlin' }, /time zone/],
    ['an offset', { timezone: '+02:00' }, /time zone/],
    ['a path for a time zone', { timezone: '../../etc/passwd' }, /time zone/],
    ['a locale without UTF-8', { locale: 'de_DE' }, /locale/],
    ['a locale with a command', { locale: 'de_DE.UTF-8;id' }, /locale/],
    ['a word for sudo', { sudo: 'no' }, /^sudo must be true or false$/],
  ])('%s is refused', (_, fields, message) => {
    const found = problems(fields);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
  });

  it.each<[string, object, RegExp]>([
    ['1 MiB and a byte', { content: 'a'.repeat(MIB + 1) }, /1 MiB/],
    ['more bytes than characters', { content: 'ü'.repeat(MIB / 2 + 1) }, /1 MiB/],
    [
      '2 MiB in base64',
      { content: undefined, content_base64: Buffer.alloc(2 * MIB).toString('base64') },
      /1 MiB/,
    ],
    ['both contents', { content_base64: 'AAEC' }, /either/],
    ['no content', { content: undefined }, /either/],
    ['what is no base64', { content: undefined, content_base64: 'A-C=' }, /must be base64/],
    ['base64 that is cut', { content: undefined, content_base64: 'AAE' }, /must be base64/],
    ['half a character', { content: '\ud800' }, /Unicode/],
    ['a relative path that leaves the home directory', { path: '../x' }, /must not contain/],
    ['a path with ..', { path: '/etc/../x' }, /must not contain/],
    ['a directory', { path: '/etc/' }, /not a directory/],
    ['the home directory', { path: '~' }, /not a directory/],
    ['an empty path', { path: '' }, /must not be empty/],
    ['NUL in a path', { path: 'a\0' }, /no NUL/],
    ['a mode that is not octal', { mode: '9999' }, /octal/],
    ['a mode as a number', { mode: 644 }, /octal/],
  ])('a file with %s is refused', (_, fields, message) => {
    const found = file(fields);
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]).toMatch(message);
  });

  it.each([
    ['/etc//x', '/etc/./x'],
    ['x', '~/x'],
    ['a/b', './a//b'],
  ])('%s and %s are one path', (path, same) => {
    const files = [path, same].map((each) => ({ path: each, content: '' }));
    expect(problems({ files })).toEqual(['files must not have a path twice']);
  });

  it('the bytes of all files count', () => {
    const half = { content: 'a'.repeat(MIB / 2) };
    const files = ['a', 'b', 'c'].map((path) => ({ path, ...half }));
    expect(problems({ files: files.slice(1) })).toEqual([]);
    expect(problems({ files })).toEqual(['files must have at most 1 MiB of content in all']);
  });
});

it('a change of variables removes with null', () => {
  expect(UpdateComputer.parse({ env: { A: '1', B: null } }).env).toEqual({ A: '1', B: null });
  expect(UpdateComputer.safeParse({ env: { A: 1 } }).success).toBe(false);
  expect(UpdateComputer.safeParse({ env: { 'a b': null } }).success).toBe(false);
});
