import { expect, it } from 'vitest';
import type { Computer } from '../../src/dashboard/app/api/types.js';
import {
  grouped,
  groupsOf,
  labelFilter,
  matches,
  ordered,
} from '../../src/dashboard/app/pages/wall/filters.js';
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

const some = (fields: Partial<Computer>) => ({ ...labelled, ...fields }) as Computer;
const names = (computers: readonly Computer[]) => computers.map(({ name }) => name);

it('those that run are first, then the failed ones, in the chosen order', () => {
  const all = [
    some({ name: 'off', status: 'stopped', created_at: '2026-01-01T00:00:00Z' }),
    some({ name: 'run-10', status: 'running', created_at: '2026-01-02T00:00:00Z' }),
    some({ name: 'run-2', status: 'running', created_at: '2026-01-03T00:00:00Z' }),
    some({ name: 'bad', status: 'error', created_at: '2026-01-04T00:00:00Z' }),
  ];
  expect(names(ordered(all, {}))).toEqual(['run-10', 'run-2', 'bad', 'off']);
  expect(names(ordered(all, { sort: 'newest' }))).toEqual(['run-2', 'run-10', 'bad', 'off']);
  expect(names(ordered(all, { sort: 'name' }))).toEqual(['run-2', 'run-10', 'bad', 'off']);
});

it('groups are those of a label, and computers without it are last', () => {
  const all = [
    some({ name: 'a', labels: {} }),
    some({ name: 'b', labels: { team: 'qa' } }),
    some({ name: 'c', labels: { team: 'dev' } }),
  ];
  const groups = grouped(all, 'label:team').map(([name, of]) => [name, names(of)]);
  expect(groups).toEqual([
    ['dev', ['c']],
    ['qa', ['b']],
    ['', ['a']],
  ]);
  expect(groupsOf(all)).toEqual(['project', 'label:team']);
});
