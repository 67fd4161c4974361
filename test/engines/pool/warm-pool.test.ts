import { afterEach, expect, it } from 'vitest';
import type { NewMachine } from '../../../src/engines/pool/reserving.js';
import { WarmPool } from '../../../src/engines/pool/warm-pool.js';
import { deferred } from '../../../src/lib/async/deferred.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';

const like = (more: Partial<NewMachine> = {}): NewMachine => ({
  ownerId: 'one',
  projectId: 'prj_1',
  os: 'linux',
  image: 'linux',
  cpu: 1,
  // Available on a busy host too.
  ram: 0,
  gpu: 'none',
  resolution: { width: 800, height: 600 },
  ...more,
});

/** A pool of numbered machines. */
function openPool(size: number, failures = 0) {
  const exits = new Map<number, ReturnType<typeof deferred<void>>>();
  const made: NewMachine[] = [];
  const removed: number[] = [];
  const versions = new Map<string, number>();
  let attempts = 0;
  const pool = new WarmPool<NewMachine, number>({
    size,
    idleMs: 5,
    onProblem: () => undefined,
    machines: {
      keyOf: async ({ image, cpu }) =>
        image === 'none' ? undefined : `${image} ${cpu} ${versions.get(image) ?? 1}`,
      create: async (spec) => {
        attempts += 1;
        if (attempts <= failures) throw new Error('the host is busy');
        const number = made.push(spec);
        exits.set(number, deferred<void>());
        return number;
      },
      remove: async (number) => void removed.push(number),
      ended: (number) => exits.get(number)?.promise,
    },
  });
  const filled = async (spec: NewMachine) => {
    const count = made.length;
    pool.replenish(spec);
    await eventually(async () => made.length > count);
  };
  open.push(pool);
  return { pool, made, removed, exits, versions, filled, attempts: () => attempts };
}

const open: WarmPool<NewMachine, number>[] = [];
afterEach(async () => {
  for (const pool of open.splice(0)) await pool.close();
});

it('gives a machine to its owner only, and once', async () => {
  const { pool, filled } = openPool(1);
  expect(await pool.take(like())).toBeUndefined();
  await filled(like());
  expect(await pool.take(like({ ownerId: 'two' }))).toBeUndefined();
  expect(await pool.take(like({ cpu: 2 }))).toBeUndefined();
  expect(await pool.take(like({ projectId: 'prj_2' }))).toBe(1);
  expect(await pool.take(like())).toBeUndefined();
});

it('keeps those of the shapes that were started last', async () => {
  const { pool, removed, filled } = openPool(2);
  for (const cpu of [1, 2, 3]) await filled(like({ cpu }));
  expect(removed).toEqual([1]);
  expect(await pool.take(like({ cpu: 3 }))).toBe(3);
});

it('removes one that has ended, those of a deleted owner, and all at the end', async () => {
  const { pool, removed, exits, filled } = openPool(3);
  for (const cpu of [1, 2]) await filled(like({ cpu }));
  await filled(like({ ownerId: 'two' }));
  exits.get(1)?.resolve();
  await eventually(async () => removed.includes(1));
  await pool.forgetOwner('two');
  expect(removed).toEqual([1, 3]);
  await pool.close();
  expect(removed).toEqual([1, 3, 2]);
});

promise(29, 'makes no more machines than it keeps, of the last shapes', async (report) => {
  const { pool, made, attempts } = openPool(3, 1);
  for (let cpu = 1; cpu <= 50; cpu++) pool.replenish(like({ cpu }));
  await eventually(async () => made.length >= 3);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(made.map(({ cpu }) => cpu)).toEqual([49, 50, 48]);
  expect(attempts()).toBe(4);
  report('warm machines of 50 shapes: 3 made');
});

it('replaces one of an image that was built again', async () => {
  const { pool, removed, versions, filled } = openPool(4);
  await filled(like());
  await filled(like({ cpu: 2 }));
  await filled(like({ ownerId: 'two' }));
  versions.set('linux', 2);
  await filled(like());
  expect(removed).toEqual([1]);
  expect(await pool.take(like())).toBe(4);
});

it('makes none where its size is 0', async () => {
  const { pool, made } = openPool(0);
  pool.replenish(like());
  const other = openPool(1);
  await other.filled(like());
  expect(made).toEqual([]);
});

it('makes a machine at the next attempt if one fails, and stops after three', async () => {
  const busy = openPool(1, 2);
  await busy.filled(like());
  expect(busy.attempts()).toBe(3);
  expect(await busy.pool.take(like())).toBe(1);

  const away = openPool(1, 100);
  away.pool.replenish(like());
  await eventually(async () => away.attempts() === 3);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(away.attempts()).toBe(3);
  // A computer that is started is a reason to try again.
  away.pool.replenish(like());
  await eventually(async () => away.attempts() > 3);
});
