// @module-tag slow
import { expect } from 'vitest';
import { openScreen } from '../../../src/screen/index.js';
import { promise } from '../../support/run/promise.js';
import { FakeServer } from '../fake-server.js';

const MIB = 2 ** 20;
const PICTURES = 24;

promise(29, 'many different screenshots at once take the memory of few', async (report) => {
  const server = new FakeServer({ width: 2000, height: 1500 });
  const screen = await openScreen(server.client);
  const options = { format: 'jpeg', scale: 1, cursor: false } as const;
  await screen.screenshot({ ...options, quality: 1 });
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }, 1);
  const taken = await Promise.all(
    Array.from({ length: PICTURES }, (_, i) =>
      // Of different sizes, so that none is taken from the cache.
      screen.screenshot({
        ...options,
        quality: 1,
        region: { x: i, y: 0, width: 1900, height: 1500 },
      }),
    ),
  );
  clearInterval(watching);
  expect(taken).toHaveLength(PICTURES);
  expect(most / MIB).toBeLessThan(120);
  report(`${PICTURES} pictures of 11 MB of pixels: at most +${Math.round(most / MIB)} MiB`);
  screen.close();
});
