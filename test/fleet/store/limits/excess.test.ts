import { expect, it } from 'vitest';
import { divideExcess } from '../../../../src/fleet/store/limits/excess.js';

it.each([
  ['nothing', { a: 5 }, 0, {}],
  ['the largest alone', { a: 10, b: 3 }, 4, { a: 4 }],
  ['the largest down to the next', { a: 10, b: 6, c: 1 }, 4, { a: 4 }],
  ['several down to the same', { b: 7, a: 10, c: 1 }, 9, { a: 6, b: 3 }],
  ['an odd number', { a: 5, b: 5, c: 5 }, 4, { a: 1, b: 1, c: 2 }],
  ['all', { a: 2, b: 1 }, 3, { a: 2, b: 1 }],
  ['more than there is', { a: 2, b: 1 }, 10, { a: 2, b: 1 }],
  ['from none', {}, 3, {}],
])('takes %s', (_, counts, excess, losses) => {
  expect(Object.fromEntries(divideExcess(Object.entries(counts), excess))).toEqual(losses);
});

it('leaves no one with less than another one has lost to', () => {
  const counts = Array.from({ length: 100 }, (_, i) => [`${i}`, (i * 37) % 101] as const);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  for (const excess of [1, 17, 500, 2_000, total - 1]) {
    const losses = divideExcess(counts, excess);
    expect([...losses.values()].reduce((sum, loss) => sum + loss)).toBe(excess);
    const left = counts.map(([name, count]) => count - (losses.get(name) ?? 0));
    const most = Math.max(...left);
    for (const [index, [name]] of counts.entries()) {
      if (losses.has(name)) expect(left[index]).toBeGreaterThanOrEqual(most - 1);
    }
  }
});
