import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { TurnShare } from '../../../../src/server/limits/turns/turn-share.js';

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
  await new Promise(setImmediate);
  expect(order.length).toBeLessThanOrEqual(3);
  await expect.poll(() => order.length, { timeout: 20_000 }).toBe(20);
  clearInterval(watch);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(new Set(others).size).toBeGreaterThan(5);
});

it('begins small requests in one turn, and all again in the next turn', async () => {
  const turns = new TurnShare();
  let begun = 0;
  const begin = () => {
    begun += 1;
  };
  for (let nth = 0; nth < 10; nth++) turns.enter(() => begin());
  expect(begun).toBe(1);
  await new Promise(setImmediate);
  expect(begun).toBe(10);
  turns.enter(begin);
  expect(begun).toBe(11);
  work(15);
  turns.enter(begin);
  expect(begun).toBe(11);
  await expect.poll(() => begun).toBe(12);
  turns.enter(begin);
  expect(begun).toBe(13);
});

it('counts what the promises of a request do after it began', async () => {
  const turns = new TurnShare();
  let turn = 0;
  const inTurn: number[] = [];
  const count = () => {
    turn += 1;
    if (inTurn.length < 20) setImmediate(count);
  };
  setImmediate(count);
  for (let nth = 0; nth < 20; nth++) {
    turns.enter(async () => {
      await Promise.resolve();
      await Promise.resolve();
      work(6);
      inTurn.push(turn);
    });
  }
  await expect.poll(() => inTurn.length, { timeout: 20_000 }).toBe(20);
  expect(new Set(inTurn).size).toBeGreaterThan(15);
});

it.each([
  ['until no connection is accepted in a turn', 10, 10],
  ['but no more than 16 turns', 1_000, 16],
])('leaves turns to new connections after long requests, %s', async (_, waiting, left) => {
  let accepted = 0;
  let turn = 0;
  const accept = () => {
    turn += 1;
    if (accepted < waiting) accepted += 1;
    if (turn < 500) setImmediate(accept);
  };
  const turns = new TurnShare({ accepted: () => accepted });
  setImmediate(accept);
  turns.enter(() => work(12));
  const begunAt = await new Promise<number>((resolve) => {
    turns.enter(() => resolve(turn));
  });
  expect(begunAt).toBeGreaterThanOrEqual(left);
  expect(begunAt).toBeLessThan(left + 5);
});

it('counts the time of its own requests, not what others take of a turn', async () => {
  let accepted = 0;
  let turn = 0;
  // A connection is accepted in each turn, and others work.
  const accept = () => {
    turn += 1;
    accepted += 1;
    work(3);
    if (turn < 500) setImmediate(accept);
  };
  setImmediate(accept);
  const turns = new TurnShare({ accepted: () => accepted });
  for (let nth = 0; nth < 10; nth++) {
    await new Promise<void>((resolve) => {
      turns.enter(resolve);
    });
    await new Promise(setImmediate);
  }
  const at = turn;
  turn = 500;
  expect(at).toBeLessThan(30);
});

it('is idle once its turn is over', async () => {
  const onIdle = vi.fn();
  const turns = new TurnShare({ onIdle });
  expect(turns.isIdle).toBe(true);
  turns.enter(() => {});
  expect(turns.isIdle).toBe(false);
  await sleep(5);
  expect([turns.isIdle, onIdle.mock.calls.length]).toEqual([true, 1]);
});

it('forgets those that leave, and is idle without a turn for each', async () => {
  const turns = new TurnShare();
  const begun: number[] = [];
  turns.enter(() => work(12));
  const waiting = Array.from({ length: 200 }, (_, nth) => () => void begun.push(nth));
  for (const begin of waiting) turns.enter(begin, 'queue');
  for (const begin of waiting.slice(1)) turns.leave(begin, 'queue');
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
  expect([begun, turns.isIdle]).toEqual([[0], true]);
});
