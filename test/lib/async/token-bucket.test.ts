import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SharedRate } from '../../../src/lib/async/token-bucket.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Uses as much as each key may in a second; what each one got. */
function use(rate: SharedRate, keys: readonly string[]): number[] {
  const used = keys.map(() => 0);
  for (let ms = 0; ms < 1000; ms++) {
    for (const [at, key] of keys.entries()) {
      if (rate.debtMs(key) > 0) continue;
      rate.take(key, 1);
      used[at] = (used[at] ?? 0) + 1;
    }
    vi.advanceTimersByTime(1);
  }
  return used;
}

const near = (found: number, expected: number) =>
  expect(Math.abs(found - expected)).toBeLessThan(6);

it('gives a key that is alone the whole rate, and several equal parts', () => {
  const rate = new SharedRate(1, 200);
  near(use(rate, ['a'])[0] ?? 0, 200);
  vi.advanceTimersByTime(10_000);
  for (const used of use(rate, ['a', 'b'])) near(used, 100);
});

it('divides by key, not by use, and gives back the part of a key that stopped', () => {
  const rate = new SharedRate(1, 200);
  const [first = 0, second = 0, other = 0] = use(rate, ['a', 'a', 'b']);
  near(first + second, 100);
  near(other, 100);
  vi.advanceTimersByTime(2_000);
  near(use(rate, ['b'])[0] ?? 0, 200);
});

it('a debt is paid although the key takes nothing meanwhile', () => {
  const rate = new SharedRate(10, 100);
  rate.take('a', 60);
  expect(rate.debtMs('a')).toBeCloseTo(500);
  vi.advanceTimersByTime(400);
  expect(rate.debtMs('a')).toBeCloseTo(100);
  vi.advanceTimersByTime(101);
  expect(rate.debtMs('a')).toBe(0);
});
