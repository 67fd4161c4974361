import { expect, it } from 'vitest';
import { Turns } from '../../../src/fleet/computer-use/turns.js';
import { promise } from '../../support/run/promise.js';

promise(29, 'remembers nothing of pairs whose calls only fail', async (report) => {
  const turns = new Turns<{ bytes: number }>();
  for (let i = 0; i < 10_000; i++) {
    const run = () => Promise.reject(new Error('no computer'));
    await turns.once(`key ${i}`, 'call', {}, run).catch(() => undefined);
  }
  expect(turns.size).toBe(0);
  report(`10,000 failed pairs, ${turns.size} kept`);
});

it('bounds the pairs whose calls have not ended', () => {
  const turns = new Turns<{ bytes: number }>({ keys: 10 });
  for (let i = 0; i < 100; i++) {
    void turns.once(`key ${i}`, 'call', {}, () => new Promise(() => undefined));
  }
  expect(turns.size).toBe(10);
});

it('remembers a call beside one that fails', async () => {
  const turns = new Turns<{ bytes: number }>();
  let runs = 0;
  const run = async () => ({ bytes: ++runs });
  await turns.once('key', 'good', {}, run);
  await turns.once('key', 'bad', {}, () => Promise.reject(new Error('no'))).catch(() => undefined);
  expect(await turns.once('key', 'good', {}, run)).toEqual({ bytes: 1 });
  expect(turns.size).toBe(1);
});
