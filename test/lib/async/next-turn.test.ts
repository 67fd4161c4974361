import { expect, it, vi } from 'vitest';
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

it('the callers of one owner do not hold up those of another', async () => {
  const order: string[] = [];
  const wait = (owner: string) => nextTurn(owner).then(() => order.push(owner));
  const all = [...Array.from({ length: 100 }, () => 'a'), 'b', 'c', 'b', 'c'].map(wait);
  await Promise.all([...all, ...Array.from({ length: 10 }, () => nextTurn())]);
  expect(order.slice(0, 6)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  expect(order).toHaveLength(104);
});

it('no further caller continues in a turn after 8 ms of work, also of work in steps', async () => {
  let now = 1000;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const turns: number[][] = [[]];
  const count = () => {
    turns.push([]);
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  try {
    const work = async (index: number) => {
      await nextTurn();
      for (let step = 0; step < 5; step++) await Promise.resolve();
      now += 3;
      turns.at(-1)?.push(index);
    };
    const order = Array.from({ length: 20 }, (_, index) => index);
    await Promise.all(order.map(work));
    expect(turns.flat()).toEqual(order);
    expect(Math.max(...turns.map(({ length }) => length))).toBe(3);
  } finally {
    clearImmediate(timer);
    clock.mockRestore();
  }
});
