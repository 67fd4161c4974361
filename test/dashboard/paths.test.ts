import { expect, it } from 'vitest';
import {
  foldersOf,
  formatBytes,
  join,
  parents,
  replacedBy,
} from '../../src/dashboard/app/state/paths.js';

it('joins names to a directory, also to the root', () => {
  expect(join('/home/user', 'a b')).toBe('/home/user/a b');
  expect(join('/', 'etc')).toBe('/etc');
});

it('lists the directories above a path', () => {
  expect(parents('/home/user')).toEqual([
    { name: '/', path: '/' },
    { name: 'home', path: '/home' },
    { name: 'user', path: '/home/user' },
  ]);
});

it('writes bytes for people', () => {
  expect([0, 1, 1023, 1024, 1536, 120 * 1024, 3 * 1024 ** 3].map(formatBytes)).toEqual([
    ...['0 B', '1 B', '1023 B', '1.0 KB', '1.5 KB', '120 KB', '3.0 GB'],
  ]);
});

it('lists the folders that an upload needs, without those above others', () => {
  expect(foldersOf(['a.txt', 'src/b.ts', 'src/lib/c.ts', 'src/lib/d.ts', 'srcs/e'])).toEqual([
    ...['src/lib', 'srcs'],
  ]);
  expect(foldersOf(['a', 'b'])).toEqual([]);
});

it('says what an upload would write into or replace', () => {
  const entries = [{ name: 'b.txt' }, { name: 'src' }];
  expect(replacedBy(['a.txt', 'b.txt', 'src/a', 'src/b', 'srcs/a'], entries)).toEqual([
    ...['b.txt', 'src'],
  ]);
  expect(replacedBy(['a.txt'], [])).toEqual([]);
});
