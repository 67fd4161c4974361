import { expect, it } from 'vitest';
import { nextTurn } from '../../../src/lib/async/next-turn.js';

it('lets few of many callers continue in each turn of the event loop, in order', async () => {
  const turns: number[][] = [[]];
  const count = () => {
    turns.push([]);
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const order = Array.from({ length: 50 }, (_, index) => index);
  await Promise.all(order.map((index) => nextTurn().then(() => turns.at(-1)?.push(index))));
  clearImmediate(timer);
  expect(turns.flat()).toEqual(order);
  expect(Math.max(...turns.map(({ length }) => length))).toBeLessThanOrEqual(8);
});
