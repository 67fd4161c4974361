import { afterEach, expect, it } from 'vitest';
import { Pictures } from '../../../src/fleet/wall/pictures.js';
import { eventually } from '../../support/eventually.js';

let pictures: Pictures;
afterEach(() => pictures.close());

it('keeps nothing of a computer that was removed while it is still in the list of a wall', async () => {
  const present = new Set(['there', 'removed']);
  pictures = new Pictures({ known: () => undefined, exists: (id: string) => present.has(id) });
  const changed: string[] = [];
  pictures.watch(
    () => ['removed', 'there'],
    (id) => changed.push(id),
  );
  await eventually(async () => changed.includes('there') && changed.includes('removed'));
  present.delete('removed');
  pictures.computerRemoved('removed');
  // The next look at the other one comes after that at the removed one would have come.
  const seen = pictures.seqOf('there');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(pictures.seqOf('removed')).toBe(0);
  expect(pictures.seqOf('there')).toBeGreaterThanOrEqual(seen);
});
