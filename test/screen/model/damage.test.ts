import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contains } from '../../../src/screen/geometry.js';
import { Damage } from '../../../src/screen/model/damage.js';

const size = { width: 200, height: 100 };
const region = fc
  .record({
    x: fc.integer({ min: -20, max: 210 }),
    y: fc.integer({ min: -20, max: 110 }),
    width: fc.integer({ min: 0, max: 80 }),
    height: fc.integer({ min: 0, max: 80 }),
  })
  .map((r) => ({ ...r }));

test('covers everything added, clipped to the screen, in few regions', () => {
  fc.assert(
    fc.property(fc.array(region, { maxLength: 60 }), (added) => {
      const damage = new Damage();
      for (const part of added) damage.add(part);
      const taken = damage.take(size);
      expect(taken.length).toBeLessThanOrEqual(16);
      expect(damage.isEmpty).toBe(true);
      for (const part of taken) expect(contains(size, part)).toBe(true);
      for (const { x, y, width, height } of added) {
        for (const [px, py] of [
          [x, y],
          [x + width - 1, y + height - 1],
        ] as const) {
          const onScreen = px >= 0 && py >= 0 && px < size.width && py < size.height;
          if (width === 0 || height === 0 || !onScreen) continue;
          const isCovered = taken.some(
            (r) => px >= r.x && py >= r.y && px < r.x + r.width && py < r.y + r.height,
          );
          expect(isCovered).toBe(true);
        }
      }
    }),
  );
});

test('does not merge distant regions', () => {
  const damage = new Damage();
  damage.add({ x: 0, y: 0, width: 10, height: 10 });
  damage.add({ x: 180, y: 80, width: 10, height: 10 });
  damage.add({ x: 5, y: 0, width: 10, height: 10 });
  expect(damage.take(size)).toHaveLength(2);
});
