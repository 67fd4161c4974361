import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { TurnShare } from '../../../src/server/limits/turn-share.js';

/** Takes the processor. */
function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

it('leaves turns to others once the requests of an owner have taken 10 ms', async () => {
  const turns = new TurnShare();
  const order: number[] = [];
  const others: number[] = [];
  const watch = setInterval(() => others.push(order.length), 1);
  for (let nth = 0; nth < 20; nth++) {
    turns.enter(() => {
      order.push(nth);
      work(6);
    });
  }
  // Two of 6 ms, then no more in this turn.
  expect(order.length).toBeLessThanOrEqual(2);
  await expect.poll(() => order.length, { timeout: 20_000 }).toBe(20);
  clearInterval(watch);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(new Set(others).size).toBeGreaterThan(5);
});

it('begins small requests at once, and all again in the next turn', async () => {
  const turns = new TurnShare();
  let begun = 0;
  const begin = () => {
    begun += 1;
  };
  for (let nth = 0; nth < 10; nth++) turns.enter(begin);
  expect(begun).toBe(10);
  work(15);
  turns.enter(begin);
  expect(begun).toBe(10);
  await sleep(5);
  expect(begun).toBe(11);
  turns.enter(begin);
  expect(begun).toBe(12);
});
