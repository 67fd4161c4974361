import { expect, it } from 'vitest';
import { nextTurn, ownTurn } from '../../../src/lib/async/next-turn.js';

it.each([
  [nextTurn, 8],
  [ownTurn, 1],
])('%o lets few of many callers continue in each turn, in order', async (turn, most) => {
  const turns: number[][] = [[]];
  const count = () => {
    turns.push([]);
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const order = Array.from({ length: 50 }, (_, index) => index);
  await Promise.all(order.map((index) => turn().then(() => turns.at(-1)?.push(index))));
  clearImmediate(timer);
  expect(turns.flat()).toEqual(order);
  expect(Math.max(...turns.map(({ length }) => length))).toBe(most);
});
