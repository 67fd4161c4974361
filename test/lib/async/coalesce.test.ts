import { expect, it } from 'vitest';
import { coalesce } from '../../../src/lib/async/coalesce.js';
import { deferred } from '../../../src/lib/async/deferred.js';

it('runs once for calls during a run, after it', async () => {
  const turns = [deferred<void>(), deferred<void>(), deferred<void>()];
  let runs = 0;
  const call = coalesce(() => turns[runs++]?.promise ?? Promise.resolve());
  for (let each = 0; each < 100; each++) call();
  expect(runs).toBe(1);
  turns[0]?.reject(new Error('failed'));
  await expect.poll(() => runs).toBe(2);
  turns[1]?.resolve();
  await turns[1]?.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(runs).toBe(2);
  call();
  expect(runs).toBe(3);
});
