import { expect, it } from 'vitest';
import { RowCache } from '../../../../src/fleet/store/cache/row-cache.js';

function table() {
  const rows = new Map([1, 2, 3].map((n) => [`${n}`, { id: `${n}`, text: 'old' }]));
  const reads: string[] = [];
  const cache = new RowCache(
    (id) => {
      reads.push(id);
      return rows.get(id);
    },
    () => {
      reads.push('all');
      return [...rows.values()];
    },
  );
  return { rows, reads, cache };
}

const texts = (found: readonly { id: string; text: string }[]) =>
  found.map(({ id, text }) => `${id} ${text}`).sort();

it('reads the table once, then only the rows that were inserted, changed or removed', () => {
  const { rows, reads, cache } = table();
  expect(texts(cache.all())).toEqual(['1 old', '2 old', '3 old']);
  for (const id of ['2', '3', '4']) cache.changed(id);
  rows.set('2', { id: '2', text: 'new' });
  rows.delete('3');
  rows.set('4', { id: '4', text: 'new' });
  expect(texts(cache.all())).toEqual(['1 old', '2 new', '4 new']);
  expect(texts(cache.all())).toEqual(['1 old', '2 new', '4 new']);
  expect(reads).toEqual(['all', '2', '3', '4']);
});

it('reads everything again once it was cleared', () => {
  const { rows, reads, cache } = table();
  cache.all();
  rows.delete('1');
  cache.clear();
  expect(cache.find('1')).toBeUndefined();
  expect(texts(cache.all())).toEqual(['2 old', '3 old']);
  expect(reads).toEqual(['all', '1', 'all']);
});
