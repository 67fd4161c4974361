import { expect, it } from 'vitest';
import { UnreadShares } from '../../../src/shell/limits/unread-share.js';
import { promise } from '../../support/run/promise.js';

promise(29, 'bytes of guests that nobody reads are limited in all', (report) => {
  const shares = new UnreadShares(1_000, 150);
  const bytes = { large: 900, small: 100, other: 0 };
  const enter = (name: keyof typeof bytes) => shares.enter(() => bytes[name]);
  const [large, small, other] = [enter('large'), enter('small'), enter('other')];
  expect([large, small, other].map((one) => one.isTooMuch())).toEqual([false, false, false]);
  bytes.other = 200;
  // Beyond the limit only who has more than a half: two have more than each may have in any case.
  expect(other.isTooMuch()).toBe(false);
  expect(large.isTooMuch()).toBe(true);
  expect(small.isTooMuch()).toBe(false);
  report('those with more than an equal part are read later');
});

it('counts again those that have sent nothing since', async () => {
  const shares = new UnreadShares(1_000, 0);
  const bytes = { idle: 900, busy: 600 };
  const idle = shares.enter(() => bytes.idle);
  expect(idle.isTooMuch()).toBe(false);
  const busy = shares.enter(() => bytes.busy);
  expect(busy.isTooMuch()).toBe(true);
  bytes.idle = 0;
  await expect.poll(() => busy.isTooMuch()).toBe(false);
});

it('forgets a guest that has left, once', () => {
  const shares = new UnreadShares(1_000, 0);
  const gone = shares.enter(() => 900);
  gone.isTooMuch();
  const other = shares.enter(() => 900);
  gone.leave();
  gone.leave();
  expect(other.isTooMuch()).toBe(false);
});

it('does not count many guests that have little against one', () => {
  const shares = new UnreadShares(1_000, 20);
  const small = Array.from({ length: 200 }, () => shares.enter(() => 2));
  const large = [600, 600].map((bytes) => shares.enter(() => bytes));
  for (const one of [...small, ...large]) one.isTooMuch();
  expect([...small, ...large].map((one) => one.isTooMuch())).toEqual([
    ...Array(200).fill(false),
    true,
    true,
  ]);
});
