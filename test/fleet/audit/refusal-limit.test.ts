import { expect, it } from 'vitest';
import { RefusalLimit } from '../../../src/fleet/audit/refusal-limit.js';

const MINUTE = 60_000;

it('leaves out refusals of a key beyond 100, then writes one in ten minutes with their number', () => {
  const limit = new RefusalLimit();
  const written = () => Array.from({ length: 150 }, () => limit.admit('key_a', 0));
  expect(written().filter((leftOut) => leftOut !== undefined)).toEqual(Array(100).fill(0));
  expect(limit.admit('key_b', 0)).toBe(0);
  expect(limit.admit('key_a', 9 * MINUTE)).toBeUndefined();
  expect(limit.admit('key_a', 10 * MINUTE + 1)).toBe(51);
  expect(limit.admit('key_a', 11 * MINUTE)).toBeUndefined();
});

it('writes fewer of a key in 90 days than the log of its owner holds', () => {
  const limit = new RefusalLimit();
  let written = 0;
  for (let now = 0; now < 90 * 24 * 60 * MINUTE; now += MINUTE) {
    if (limit.admit('key_a', now) !== undefined) written += 1;
  }
  expect(written).toBeLessThan(14_000);
});
