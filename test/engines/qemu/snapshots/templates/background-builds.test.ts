// @module-tag slow
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import {
  BackgroundBuilds,
  MOST_AUTOMATIC,
} from '../../../../../src/engines/qemu/snapshots/templates/background-builds.js';

const SHAPE = { image: 'linux', cpu: 2, ram: 1 };
const shapes = Array.from({ length: MOST_AUTOMATIC + 6 }, (_, i) => ({
  ...SHAPE,
  resolution: { width: 320 + i, height: 240 },
}));
const GIB = 2 ** 30;

/** Builds that take several turns of the event loop. */
function open(memory: (running: number) => number) {
  const seen = { built: 0, running: 0, most: 0, problems: [] as string[] };
  const builds = new BackgroundBuilds({
    onProblem: (problem) => seen.problems.push(problem),
    count: async () => seen.built,
    memory: async () => memory(seen.running),
    delayMs: 0,
  });
  const build = async () => {
    seen.running += 1;
    seen.most = Math.max(seen.most, seen.running);
    for (let i = 0; i < 5; i++) await turn();
    seen.running -= 1;
    seen.built += 1;
  };
  return { seen, builds, build };
}

it('builds no more than 24 templates by itself, whatever is requested at once', async () => {
  const { seen, builds, build } = open(() => 8 * GIB);
  await Promise.all(shapes.map((shape) => builds.schedule(shape, build)));
  await builds.close();
  expect(seen).toEqual({ built: 24, running: 0, most: 1, problems: [] });
});

it('counts the memory of one build before the next', async () => {
  const { seen, builds, build } = open((running) => (4 - running) * GIB - 1);
  await Promise.all(shapes.slice(0, 3).map((shape) => builds.schedule(shape, build)));
  expect(seen).toEqual({ built: 3, running: 0, most: 1, problems: [] });
  await builds.close();
});

it('ends the build that runs and starts none of the others when it is closed', async () => {
  const { seen, builds } = open(() => 8 * GIB);
  const begun: AbortSignal[] = [];
  let isBegun = () => {};
  const first = new Promise<void>((resolve) => {
    isBegun = resolve;
  });
  const all = shapes.slice(0, 3).map((shape) =>
    builds.schedule(shape, async (_, signal) => {
      begun.push(signal);
      isBegun();
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    }),
  );
  await first;
  await builds.close();
  await Promise.all(all);
  expect(begun.map(({ aborted }) => aborted)).toEqual([true]);
  expect(seen.problems).toEqual([]);
});

it('does not repeat a build that failed, and remembers the last thousand', async () => {
  const { seen, builds } = open(() => 8 * GIB);
  let attempts = 0;
  const fail = async () => {
    attempts += 1;
    throw new Error('no room');
  };
  const shape = (width: number) => ({ ...SHAPE, resolution: { width, height: 240 } });
  await Promise.all([builds.schedule(shape(1), fail), builds.schedule(shape(1), fail)]);
  await builds.schedule(shape(1), fail);
  expect(attempts).toBe(1);
  expect(seen.problems).toEqual(['A template cannot be built: no room']);
  for (let width = 2; width <= 1001; width++) await builds.schedule(shape(width), fail);
  await builds.schedule(shape(1), fail);
  await builds.schedule(shape(1001), fail);
  expect(attempts).toBe(1002);
  await builds.close();
});
