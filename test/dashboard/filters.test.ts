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
