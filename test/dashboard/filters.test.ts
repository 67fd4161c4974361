import { expect, it } from 'vitest';
import type { Computer } from '../../src/dashboard/app/api/types.js';
import { labelFilter, matches } from '../../src/dashboard/app/pages/wall/filters.js';
import { computer } from '../cli/support/run.js';

const labelled = { ...computer, labels: { team: 'QA', 'a/b': '' } } as unknown as Computer;

it('a word label:NAME=VALUE or label:NAME finds computers with the label', () => {
  const isShown = (text: string) => matches(labelled, { text });
  expect(isShown('label:team')).toBe(true);
  expect(isShown('label:team=QA')).toBe(true);
  expect(isShown(`DESK ${labelFilter(['a/b', ''])}`)).toBe(true);
  expect(isShown('label:team=q')).toBe(false);
  expect(isShown('label:team other')).toBe(false);
});

it('a word finds no computer by a part of its random id, but by its beginning', () => {
  const one = { ...labelled, id: 'cmp_7f3k2m9q4w8e1r6t5y0b', name: 'crawl-1' };
  expect(matches(one, { text: 'crawl 2' })).toBe(false);
  expect(matches(one, { text: 'crawl 1' })).toBe(true);
  expect(matches(one, { text: 'cmp_7f3k' })).toBe(true);
});
