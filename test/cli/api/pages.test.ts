import { expect, it } from 'vitest';
import { readPages } from '../../../src/cli/api/answer.js';

it('pages without end are refused', async () => {
  let pages = 0;
  const read = async () => {
    pages += 1;
    const entries = Array.from({ length: 10_000 }, (_, index) => ({ id: pages * 10_000 + index }));
    return pages > 200 ? { entries: [] } : { entries };
  };
  await expect(readPages('/audit', read)).rejects.toThrow('more than 1000000 entries');
  expect(pages).toBe(101);
});
