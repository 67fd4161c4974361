import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Picture, PictureOptions } from '../../../src/screen/types.js';
import { FakeServer } from '../fake-server.js';

/** Those that run, with the screen's colour. */
const running: { readonly red: number; readonly end: () => void }[] = [];

/** Waits until the test ends it. */
function encode(pixels: Buffer): Promise<Picture> {
  return new Promise((resolve) => {
    const red = pixels[0] ?? 0;
    const encoding = {
      red,
      end: () => {
        running.splice(running.indexOf(encoding), 1);
        resolve({ data: Buffer.of(red), format: 'jpeg', width: 1, height: 1 });
      },
    };
    running.push(encoding);
  });
}

// Other files share the process: they get the modules as they are.
const ENCODE = '../../../src/screen/capture/encode.js';
let openScreen: typeof import('../../../src/screen/index.js').openScreen;
const threads = process.env.UV_THREADPOOL_SIZE;
beforeAll(async () => {
  process.env.UV_THREADPOOL_SIZE = '8';
  vi.resetModules();
  vi.doMock(ENCODE, () => ({ encode }));
  ({ openScreen } = await import('../../../src/screen/index.js'));
});
afterAll(() => {
  if (threads === undefined) delete process.env.UV_THREADPOOL_SIZE;
  else process.env.UV_THREADPOOL_SIZE = threads;
  vi.doUnmock(ENCODE);
  vi.resetModules();
});
afterEach(() => {
  for (const { end } of [...running]) end();
});

async function open(red: number) {
  const server = new FakeServer({ width: 64, height: 48 });
  server.paint(red << 16);
  return openScreen(server.client);
}

/** For a busy host. */
const until = (check: () => void) => vi.waitFor(check, { timeout: 15_000 });

const picture = (x: number): PictureOptions => ({
  format: 'jpeg',
  quality: 80,
  scale: 1,
  cursor: false,
  region: { x, y: 0, width: 8, height: 8 },
});

test('threads stay free however many screens are captured', async () => {
  const screens = await Promise.all(Array.from({ length: 8 }, (_, number) => open(number)));
  const taken = screens.map((screen) => screen.screenshot(picture(0)));
  await until(() => expect(running).toHaveLength(6));
  running[0]?.end();
  await until(() => expect(running.map(({ red }) => red)).toEqual([1, 2, 3, 4, 5, 6]));
  const ending = setInterval(() => running[0]?.end(), 1);
  await Promise.all(taken);
  clearInterval(ending);
});

test('a picture that has not changed is returned while the threads are in use', async () => {
  const screen = await open(1);
  const first = screen.screenshot(picture(0));
  await until(() => expect(running).toHaveLength(1));
  running[0]?.end();
  await first;
  const others = await Promise.all(Array.from({ length: 6 }, () => open(1)));
  const taken = others.map((other) => other.screenshot(picture(0)));
  await until(() => expect(running).toHaveLength(6));
  expect(await screen.screenshot(picture(0))).toBe(await first);
  for (const { end } of [...running]) end();
  await Promise.all(taken);
});
