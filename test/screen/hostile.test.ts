// @module-tag thorough
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { openScreen } from '../../src/screen/index.js';
import { Framebuffer } from '../../src/screen/model/framebuffer.js';
import { UpdateScheduler } from '../../src/screen/model/update-scheduler.js';
import { Connection } from '../../src/screen/rfb/connection.js';
import { UpdateLimit } from '../../src/screen/rfb/update-limit.js';
import { clipboard, FakeServer, fence, raw, rectangle, serverInit, update } from './fake-server.js';

const region = (x: number, y: number, width: number, height: number) => ({ x, y, width, height });

/** Opens a screen, sends it the server's bytes, and waits for the connection to end. */
async function endsWith(...said: readonly Buffer[]): Promise<Error | undefined> {
  const server = new FakeServer();
  const screen = await openScreen(server.client);
  const closed = new Promise<Error | undefined>((resolve) => screen.once('close', resolve));
  for (const part of said) server.send(part);
  const error = await closed;
  expect(screen.open).toBe(false);
  await expect(screen.key('a')).rejects.toMatchObject({ code: 'guest_failed' });
  return error;
}

const longName = Buffer.from([1, 0, 0, 0, 0, 255, 255]);
test.each<[string, RegExp, readonly Buffer[]]>([
  [
    'a rectangle beyond the right edge',
    /outside the screen/,
    [update(raw(region(60, 0, 5, 1), 1))],
  ],
  [
    'a rectangle beyond the lower edge',
    /outside the screen/,
    [update(raw(region(0, 40, 1, 9), 1))],
  ],
  [
    'a copy from outside',
    /outside the screen/,
    [update(rectangle(region(0, 0, 8, 8), 1, Buffer.from([0, 60, 0, 0])))],
  ],
  [
    'an encoding that the client did not announce',
    /encoding 16/,
    [update(rectangle(region(0, 0, 8, 8), 16))],
  ],
  ['a huge screen', /65535x65535/, [update(rectangle(region(0, 0, 65_535, 65_535), -223))]],
  ['a screen of no size', /0x0/, [update(rectangle(region(0, 0, 0, 0), -223))]],
  ['a huge pointer', /pointer of 4096x4096/, [update(rectangle(region(0, 0, 4096, 4096), -239))]],
  [
    'an alpha pointer in an unknown encoding',
    /pointer in an encoding/,
    [update(rectangle(region(0, 0, 8, 8), -314, Buffer.from([0, 0, 0, 7])))],
  ],
  ['an unknown message', /unknown type 77/, [Buffer.from([77])]],
  ['a fence that is too long', /fence with 65 bytes/, [fence(0, Buffer.alloc(65))]],
  [
    'a clipboard of 2 GiB',
    /clipboard of 2147483647/,
    [Buffer.from([3, 0, 0, 0, 127, 255, 255, 255])],
  ],
  [
    'a clipboard message without flags',
    /without flags/,
    [Buffer.from([3, 0, 0, 0, 255, 255, 255, 254, 0, 0])],
  ],
  [
    'a clipboard that is not compressed',
    /cannot be unpacked/,
    [clipboard(0x1000_0001, Buffer.from('not zlib at all'))],
  ],
  ['the end of the stream in a message', /ended/, []],
])('closes on %s', async (_what, message, said) => {
  const server = new FakeServer();
  const screen = await openScreen(server.client);
  const closed = new Promise<Error | undefined>((resolve) => screen.once('close', resolve));
  for (const part of said) server.send(part);
  if (said.length === 0) {
    server.send(longName);
    server.wire.end();
  }
  expect(await closed).toMatchObject({
    code: 'guest_failed',
    message: expect.stringMatching(message),
  });
});

test('closes on a compressed clipboard that unpacks to far more than the limit', async () => {
  const { deflateSync } = await import('node:zlib');
  const bomb = clipboard(0x1000_0001, deflateSync(Buffer.alloc(64 << 20)));
  expect(await endsWith(bomb)).toMatchObject({ message: expect.stringMatching(/unpacked/) });
});

test.each<[string, () => Buffer]>([
  ['bells', () => Buffer.alloc(65_536, 2)],
  ['updates without pixels', () => Buffer.concat(Array(4096).fill(update()))],
  ['fences', () => Buffer.concat(Array(4096).fill(fence(0x8000_0000, Buffer.alloc(1))))],
  [
    'unrequested pixels',
    () => Buffer.concat(Array(200).fill(update(raw(region(0, 0, 64, 48), 1)))),
  ],
  ['changes of size', () => update(...Array(100).fill(rectangle(region(0, 0, 3840, 2160), -223)))],
  [
    'a clipboard too long to keep',
    () => Buffer.concat([Buffer.from([3, 0, 0, 0, 3, 255, 255, 255]), Buffer.alloc(0x3ff_ffff)]),
  ],
  ['one update without end', () => Buffer.concat(Array(300).fill(raw(region(0, 0, 64, 48), 2)))],
])('closes on a flood of %s, without growing', async (what, flood) => {
  const server = new FakeServer();
  const screen = await openScreen(server.client);
  let open = true;
  const closed = new Promise<Error | undefined>((resolve) => {
    screen.once('close', (error) => {
      open = false;
      resolve(error);
    });
  });
  const part = flood();
  if (what === 'one update without end') server.send(Buffer.from([0, 0, 255, 255]));
  const before = process.memoryUsage().rss;
  for (let round = 0; round < 400 && open; round++) {
    server.send(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await closed).toMatchObject({
    message: expect.stringMatching(/more data than was requested|too often/),
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(400 << 20);
});

test('closes on copies of the whole screen that answer no request', async () => {
  const server = new FakeServer({ width: 1280, height: 800, can: ['fences'] });
  const screen = await openScreen(server.client);
  const closed = new Promise<Error | undefined>((resolve) => screen.once('close', resolve));
  server.answering = false;
  const copies = vi.spyOn(Framebuffer.prototype, 'copy');
  // Each lacks the pixel at the origin, for which the screenshot waits and asks again.
  const all = rectangle(region(1, 0, 1279, 800), 1, Buffer.alloc(4));
  const shot = screen.screenshot({ format: 'png', quality: 80, scale: 1, cursor: false });
  server.send(Buffer.concat(Array(2000).fill(update(all))));
  await expect(shot).rejects.toThrow('more data than was requested');
  await closed;
  const total = copies.mock.calls.length;
  copies.mockRestore();
  expect(total).toBeGreaterThan(10);
  expect(total).toBeLessThan(200);
});

const FOUR_K = region(0, 0, 3840, 2160);
const COLUMN = region(9, 0, 1, 2160);
// The first tile has a background, which the others repeat.
const tiles = Buffer.concat([Buffer.from([2, 1, 2, 3, 0]), Buffer.alloc(240 * 135 - 1)]);
test.each([
  ['copies', [rectangle(FOUR_K, 1, Buffer.alloc(4))]],
  ['tiles', [rectangle(FOUR_K, 5, tiles)]],
  // As much work in fifteen columns, because each row of one takes as long as 256 pixels.
  ['narrow copies', Array<Buffer>(15).fill(rectangle(COLUMN, 1, Buffer.alloc(4)))],
])('reads %s of a large screen slowly, even if it asked for them', async (_, all) => {
  const server = new FakeServer({ ...FOUR_K, can: ['fences'] });
  const limit = new UpdateLimit();
  const options = { timeoutMs: 10_000, pixels: 'hextile', limit } as const;
  const connection = await Connection.open(server.client, options);
  server.answering = false;
  let updates = 0;
  connection.on('update', () => {
    updates += 1;
  });
  const unwatch = new UpdateScheduler(connection).watch(33);
  server.onMessage = ({ kind }) => {
    if (kind === 'update') server.send(Buffer.concat([update(...all), update(...all)]));
  };
  const began = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  // A busy host may take longer for a few.
  await vi.waitUntil(() => updates > 2, 20_000);
  unwatch();
  const seconds = (performance.now() - began) / 1000;
  connection.close();
  // Eight at once, and eight per second.
  expect(updates).toBeLessThan(14 + 9 * seconds);
});

test('limits all connections to a screen together', async () => {
  const limit = new UpdateLimit();
  let sizes = 0;
  for (let connection = 0; connection < 3; connection++) {
    const server = new FakeServer();
    const screen = await openScreen(server.client, { limit });
    screen.on('resize', () => {
      sizes += 1;
    });
    const closed = new Promise((resolve) => screen.once('close', resolve));
    for (let size = 0; size < 10; size++) {
      server.send(update(rectangle(region(0, 0, 600 + size, 480), -223)));
    }
    // It closes the connection before its limit.
    server.wire.end();
    await closed;
  }
  expect(sizes).toBeGreaterThan(10);
  expect(sizes).toBeLessThan(20);
});

test('closes on a screen that changes its size whenever it is asked for pixels', async () => {
  const server = new FakeServer();
  const screen = await openScreen(server.client);
  const closed = new Promise<Error | undefined>((resolve) => screen.once('close', resolve));
  let sizes = 0;
  server.answering = false;
  server.onMessage = ({ kind }) => {
    if (kind !== 'update' || sizes === 1000) return;
    sizes += 1;
    const size = rectangle(region(0, 0, 640 - (sizes % 2), 480), -223);
    setImmediate(() => server.send(update(size)));
  };
  await expect(
    screen.screenshot({ format: 'png', quality: 80, scale: 1, cursor: false }),
  ).rejects.toThrow('changed the size of its screen too often');
  expect(await closed).toMatchObject({ code: 'guest_failed' });
  expect(sizes).toBeLessThan(100);
});

test('times out on a server that never greets, never sends an update, or never completes one', async () => {
  const silent = new FakeServer({ opening: Buffer.alloc(0) });
  await expect(openScreen(silent.client, { timeoutMs: 100 })).rejects.toMatchObject({
    code: 'guest_timeout',
  });
  expect(silent.client.destroyed).toBe(true);
  const blank = new FakeServer();
  blank.answering = false;
  await expect(openScreen(blank.client, { timeoutMs: 100 })).rejects.toMatchObject({
    code: 'guest_timeout',
  });
  expect(blank.client.destroyed).toBe(true);
});

test('stops opening on abort', async () => {
  const server = new FakeServer({ opening: Buffer.alloc(0) });
  const reason = new Error('no longer wanted');
  const controller = new AbortController();
  const opening = openScreen(server.client, { signal: controller.signal });
  controller.abort(reason);
  await expect(opening).rejects.toBe(reason);
  expect(server.client.destroyed).toBe(true);
});

test('survives any bytes after a valid handshake', async () => {
  const opening = Buffer.concat([
    Buffer.from('RFB 003.008\n'),
    Buffer.from([1, 1, 0, 0, 0, 0]),
    serverInit(16, 16),
    update(raw(region(0, 0, 16, 16), 0x123456)),
  ]);
  const word = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom(
      Buffer.from([0, 0, 0, 1]),
      Buffer.from([0, 0, 255, 255]),
      raw(region(1, 1, 4, 4), 3),
      rectangle(region(0, 0, 4, 4), 1, Buffer.alloc(4)),
      rectangle(region(0, 0, 9, 9), -223),
      rectangle(region(0, 0, 3, 3), -239, Buffer.alloc(39)),
      rectangle(region(0, 0, 0, 0), -261, Buffer.alloc(1)),
      fence(0x8000_0000, Buffer.alloc(3)),
      clipboard(0x0800_0001, Buffer.alloc(0)),
      clipboard(0x0200_0001, Buffer.alloc(0)),
      Buffer.from([3, 0, 0, 0]),
      Buffer.from([248]),
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 12 }), async (words) => {
      const server = new FakeServer({ opening });
      for (const part of words) server.send(Buffer.from(part));
      server.wire.end();
      const screen = await openScreen(server.client, { timeoutMs: 2000 }).catch((error) => {
        expect(error).toMatchObject({ name: 'ApiError' });
      });
      if (screen === undefined) return;
      await expect(screen.waitStable({ timeoutMs: 1500 })).rejects.toMatchObject({
        name: 'ApiError',
      });
      screen.close();
    }),
    { numRuns: 300 },
  );
});
