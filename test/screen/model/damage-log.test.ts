// @module-tag slow
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { intersects } from '../../../src/screen/geometry.js';
import { DamageLog } from '../../../src/screen/model/damage-log.js';

/** The nth change is one pixel of its own. */
const pixel = (nth: number) => ({ x: 2 * (nth % 1000), y: nth, width: 1, height: 1 });

test('a view that missed changes gets the regions of all of them, and few of earlier ones', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1200 }), fc.nat(1200), (count, seen) => {
      const log = new DamageLog();
      for (let nth = 0; nth < count; nth++) log.push([pixel(nth)]);
      expect(log.version).toBe(count);
      const regions = log.since(seen);
      if (regions === undefined) {
        expect(count - seen).toBeGreaterThan(500);
        return;
      }
      if (seen >= count) {
        expect(regions).toEqual([]);
        return;
      }
      expect(regions.length).toBeLessThanOrEqual(16);
      for (let nth = seen; nth < count; nth++) {
        expect(regions.some((region) => intersects(region, pixel(nth)))).toBe(true);
      }
      const first = Math.min(...regions.map(({ y }) => y));
      expect(first).toBeGreaterThanOrEqual(seen - (count - seen) - 1);
    }),
    { numRuns: 60 },
  );
});

test('the last change is known exactly, also to several who ask', () => {
  const log = new DamageLog();
  for (let nth = 0; nth < 100; nth++) log.push([pixel(nth)]);
  expect(log.since(99)).toEqual([pixel(99)]);
  expect(log.since(98)).toEqual([pixel(99), pixel(98)]);
  expect(log.since(98)).toBe(log.since(98));
});

test('what came before a change of size is not known', () => {
  const log = new DamageLog();
  log.push([pixel(0)]);
  const before = log.version;
  log.clear();
  expect(log.since(before)).toBeUndefined();
  log.push([pixel(1)]);
  expect(log.since(before)).toBeUndefined();
  expect(log.since(log.version - 1)).toEqual([pixel(1)]);
});
