import { expect, it } from 'vitest';
import { load } from '../../src/dashboard/app/api/load.js';

/** A part of the page that cannot be loaded `failures` times. */
function part(failures: number): () => Promise<string> {
  let attempts = 0;
  return async () => {
    attempts += 1;
    if (attempts <= failures) throw new TypeError(`attempt ${attempts} failed`);
    return `attempt ${attempts}`;
  };
}

it('a part of the page is loaded although the first requests fail', async () => {
  expect(await load(part(0), [1, 1])).toBe('attempt 1');
  expect(await load(part(2), [1, 1])).toBe('attempt 3');
});

it('a part that cannot be loaded at all is an error', async () => {
  await expect(load(part(3), [1, 1])).rejects.toThrow('attempt 3 failed');
});
