import { expect, it } from 'vitest';
import {
  fileEtag,
  httpDate,
  requestedRange,
} from '../../../../src/server/http/conditional/byte-range.js';
import { etagOf, isKnown } from '../../../../src/server/http/conditional/etag.js';

const file = { size: 100, mtime: 1_000 };

it.each([
  ['bytes=0-9', { start: 0, end: 10 }],
  ['bytes=90-', { start: 90, end: 100 }],
  ['bytes=90-1000', { start: 90, end: 100 }],
  ['BYTES=99-99', { start: 99, end: 100 }],
  ['bytes=-10', { start: 90, end: 100 }],
  ['bytes=-1000', { start: 0, end: 100 }],
  ['bytes=100-', 'none'],
  ['bytes=100-200', 'none'],
  ['bytes=-0', 'none'],
  // Malformed ones and several are ignored.
  ...['bytes=9-0', 'bytes=-', 'bytes=0-9,20-29', 'bytes=a-b', 'bytes 0-9', 'items=0-9', ''].map(
    (range) => [range, undefined] as const,
  ),
  ['bytes=9999999999999999-', undefined],
] as const)('Range: %s', (range, expected) => {
  expect(requestedRange({ range }, file)).toEqual(expected);
});

it('has no part of an empty file, and ignores ranges of one without a size', () => {
  expect(requestedRange({ range: 'bytes=0-' }, { ...file, size: 0 })).toBe('none');
  expect(requestedRange({ range: 'bytes=0-' }, { ...file, size: undefined })).toBeUndefined();
});

it('answers the whole file if it has changed since If-Range', () => {
  const asked = (ifRange: string, now?: number) =>
    requestedRange({ range: 'bytes=0-9', 'if-range': ifRange }, file, now);
  const part = { start: 0, end: 10 };
  expect(asked(fileEtag(file))).toEqual(part);
  expect(asked(httpDate(file.mtime))).toEqual(part);
  expect(asked(fileEtag({ ...file, size: 99 }))).toBeUndefined();
  expect(asked(httpDate(file.mtime + 1))).toBeUndefined();
  expect(asked(`W/${fileEtag(file)}`)).toBeUndefined();
  // Another change within the same second would not show.
  const now = file.mtime * 1000 + 1_999;
  expect(fileEtag(file, now)).toMatch(/^W\//);
  expect(asked(fileEtag(file, now), now)).toBeUndefined();
  expect(asked(httpDate(file.mtime), now)).toBeUndefined();
});

it('compares If-None-Match weakly, in lists and with *', () => {
  const etag = etagOf(Buffer.from('x'), 'json');
  expect(etag).toBe(etagOf(Buffer.from('x'), 'json'));
  expect(etag).not.toBe(etagOf(Buffer.from('x'), 'bytes'));
  expect(etag).not.toBe(etagOf(Buffer.from('y'), 'json'));
  for (const header of [etag, `W/${etag}`, `"a", ${etag}`, '*'])
    expect(isKnown(header, etag)).toBe(true);
  for (const header of [undefined, '', '"a"', etag.slice(1)])
    expect(isKnown(header, etag)).toBe(false);
});
