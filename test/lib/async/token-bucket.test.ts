import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SampledBucket, TokenBucket } from '../../../src/lib/async/token-bucket.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a debt is paid although nothing is taken meanwhile', () => {
  const bucket = new TokenBucket(10, 100);
  expect(bucket.take(10)).toBe(true);
  expect(bucket.take(50)).toBe(false);
  expect(bucket.debtMs).toBeCloseTo(500);
  vi.advanceTimersByTime(400);
  expect(bucket.debtMs).toBeCloseTo(100);
  vi.advanceTimersByTime(101);
  expect(bucket.debtMs).toBe(0);
});

it('a sampled bucket says how many were left out', () => {
  const bucket = new SampledBucket(2, 1);
  const admitted = Array.from({ length: 5 }, () => bucket.admit());
  expect(admitted).toEqual([0, 0, undefined, undefined, undefined]);
  vi.advanceTimersByTime(1_001);
  expect([bucket.admit(), bucket.admit()]).toEqual([3, undefined]);
});
