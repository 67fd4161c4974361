import { expect } from 'vitest';
import { ReadAhead } from '../../../src/shell/limits/read-ahead.js';
import { promise } from '../../support/run/promise.js';

const bytes = (place: ReturnType<ReadAhead['enter']>) => {
  const { chunk, ahead } = place.nextSize();
  return chunk * ahead;
};

promise(29, 'the memory of files that are read is limited', (report) => {
  const readers = new ReadAhead();
  const computers = Array.from({ length: 10 }, () => ({}));
  const places = computers.flatMap((computer) =>
    Array.from({ length: 256 }, () => readers.enter(computer)),
  );
  const fast = places.filter((place) => bytes(place) > 100_000);
  // Four of each until there are 32, and one of each of the others.
  expect(fast).toHaveLength(34);
  const held = places.reduce((sum, place) => sum + bytes(place), 0);
  expect(held).toBeLessThan(128 << 20);
  report(`${Math.round(held / (1 << 20))} MiB of ${places.length} files of 10 computers`);
  // One that leaves makes room for another one of its computer.
  for (const place of places.splice(256)) place.leave();
  const [first, , , , fifth] = places;
  if (first === undefined || fifth === undefined) throw new Error('no readers');
  expect(bytes(fifth)).toBeLessThan(100_000);
  first.leave();
  expect(bytes(fifth)).toBeGreaterThan(100_000);
  first.leave();
  const sixth = places[5];
  expect(sixth && bytes(sixth)).toBeLessThan(100_000);
});
