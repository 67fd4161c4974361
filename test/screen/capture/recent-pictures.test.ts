import { expect, test } from 'vitest';
import { RecentPictures } from '../../../src/screen/capture/screenshot.js';

const MIB = 1 << 20;

function pictures() {
  const recent = new RecentPictures();
  const made: string[] = [];
  const get = (kind: string, { version = 1, bytes = 10 } = {}) =>
    recent.get(kind, [version, undefined], async () => {
      made.push(kind);
      return { data: Buffer.alloc(bytes), format: 'png', width: 1, height: 1 };
    });
  return { recent, made, get };
}

test('makes a picture again only for another state, also while it is made', async () => {
  const { made, get } = pictures();
  await Promise.all([get('a'), get('a')]);
  await get('a');
  expect(made).toEqual(['a']);
  await get('a', { version: 2 });
  expect(made).toEqual(['a', 'a']);
});

test('keeps four kinds, those used last', async () => {
  const { made, get } = pictures();
  for (const kind of ['a', 'b', 'c', 'd', 'a', 'e', 'a', 'b']) await get(kind);
  expect(made).toEqual(['a', 'b', 'c', 'd', 'e', 'b']);
});

test('keeps one large picture, or several of 1 MiB in total', async () => {
  const { made, get } = pictures();
  await get('large', { bytes: 9 * MIB });
  await get('large', { bytes: 9 * MIB });
  await get('small');
  await get('small');
  await get('large', { bytes: 9 * MIB });
  expect(made).toEqual(['large', 'small', 'large']);
});

test('forgets a picture that could not be made, and all when told to', async () => {
  const { recent, made, get } = pictures();
  const failing = recent.get('a', [1, undefined], () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  await get('a');
  recent.clear();
  await get('a');
  expect(made).toEqual(['a', 'a']);
});
