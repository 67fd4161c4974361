import { expect, it } from 'vitest';
import { named, sumBy } from '../../src/dashboard/app/pages/usage/sums.js';

const day = (key: { id: string; name: string | null; deleted: boolean }, actions: number) => ({
  ...{ date: '2026-11-23', key, project: null, computers: 0 },
  ...{ computer_seconds: actions, actions, bytes: 0 },
});

it('tells a deleted key from a new one with the same name', () => {
  const days = [
    day({ id: 'key_new', name: 'ci', deleted: false }, 5),
    day({ id: 'key_old', name: 'ci', deleted: true }, 3),
    day({ id: 'key_new', name: 'ci', deleted: false }, 1),
  ];
  expect(sumBy(days, ({ key }) => named(key)).map((sum) => [sum.name, sum.actions])).toEqual([
    ['ci', 6],
    ['ci (deleted)', 3],
  ]);
});

it('shows the start of an id where the name is not known', () => {
  const id = 'key_4rswqavrab9pg6xn1dss';
  expect(named({ id, name: null, deleted: true }).name).toBe('key_4rswqa (deleted)');
  expect(named({ id: '', name: null, deleted: true }).name).toBe('unknown');
});
