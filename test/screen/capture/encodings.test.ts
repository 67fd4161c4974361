import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Picture, PictureOptions } from '../../../src/screen/types.js';
import { FakeServer } from '../fake-server.js';

/** Those that run, with the owner's colour. */
const running: { readonly red: number; readonly end: () => void }[] = [];
let most: Record<number, number> = {};

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
    most[red] = Math.max(most[red] ?? 0, running.filter((one) => one.red === red).length);
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
beforeEach(() => {
  most = {};
});
afterEach(() => {
  for (const { end } of [...running]) end();
});

async function open(owner: string, red: number) {
  const server = new FakeServer({ width: 64, height: 48 });
  server.paint(red << 16);
  return openScreen(server.client, { owner });
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

test('an owner of many computers leaves threads for the pictures of others', async () => {
  const ofA = await Promise.all([open('a', 1), open('a', 1), open('a', 1)]);
  const ofB = await open('b', 2);
  const taken = ofA.flatMap((screen) => [
    screen.screenshot(picture(0)),
    screen.screenshot(picture(1)),
  ]);
  await until(() => expect(running).toHaveLength(2));
  const other = ofB.screenshot(picture(0));
  await until(() => expect(running.map(({ red }) => red)).toEqual([1, 1, 2]));
  running[2]?.end();
  expect((await other).data).toEqual(Buffer.of(2));
  const ending = setInterval(() => running[0]?.end(), 1);
  expect(await Promise.all(taken)).toHaveLength(6);
  clearInterval(ending);
  expect(most).toEqual({ 1: 2, 2: 1 });
});

test('threads stay free however many owners take pictures', async () => {
  const screens = await Promise.all(
    Array.from({ length: 8 }, (_, number) => open(`owner ${number}`, number)),
  );
  const taken = screens.map((screen) => screen.screenshot(picture(0)));
  await until(() => expect(running).toHaveLength(6));
  const late = screens[0]?.screenshot(picture(1));
  running[0]?.end();
  // The owners that have none yet come first.
  await until(() => expect(running.map(({ red }) => red)).toEqual([1, 2, 3, 4, 5, 6]));
  const ending = setInterval(() => running[0]?.end(), 1);
  await Promise.all([...taken, late]);
  clearInterval(ending);
});

test('a picture that has not changed is returned while the threads are in use', async () => {
  const screen = await open('a', 1);
  const first = screen.screenshot(picture(0));
  await until(() => expect(running).toHaveLength(1));
  running[0]?.end();
  await first;
  const others = await Promise.all([open('a', 1), open('a', 1)]);
  const taken = others.map((other) => other.screenshot(picture(0)));
  await until(() => expect(running).toHaveLength(2));
  expect(await screen.screenshot(picture(0))).toBe(await first);
  for (const { end } of [...running]) end();
  await Promise.all(taken);
});
