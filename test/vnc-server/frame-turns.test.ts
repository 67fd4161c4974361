import { nextTick } from 'node:process';
import { expect, it, vi } from 'vitest';
import { Queue } from '../../src/lib/async/queue.js';
import { updateRequest } from '../../src/screen/rfb/messages.js';
import { Viewer } from '../../src/vnc-server/viewer.js';
import { eventually } from '../support/eventually.js';
import { FakeScreen } from '../support/fake-connectors.js';

/** Of 61 KB in all. */
const REGIONS = Array.from({ length: 16 }, (_, index) => {
  return { x: 80 * (index % 4), y: 50 * Math.floor(index / 4), width: 31, height: 31 };
});
const VIEWS = 200;
const ZLIB = Buffer.from([2, 0, 0, 1, 0, 0, 0, 6]);

class SmallScreen extends FakeScreen {
  override readonly size = { width: 320, height: 200 };
}

/** Views of one screen that have their first frame and wait for changes; calls `onFrame` for each. */
async function openViews(count: number, encodings: Buffer, onFrame: () => void) {
  const screen = new SmallScreen();
  screen.setMaxListeners(0);
  const leaving = new AbortController();
  let sent = 0;
  const shown = Array.from({ length: count }, () => {
    const viewer = new Viewer({
      ...{ mode: 'view', name: 'p/a' },
      onError: (error) => expect.fail(error.message),
      channel: {
        ownerId: 'usr_a',
        send: async (data) => {
          if (data.length < 100) return;
          sent += 1;
          onFrame();
        },
        sendClipboard: () => undefined,
      },
    });
    const showing = viewer.show(screen, new Queue(), leaving.signal);
    for (const text of ['RFB 003.008\n', '\x01', '\x01']) viewer.receive(Buffer.from(text));
    viewer.receive(encodings);
    const ask = () => viewer.receive(updateRequest('changes', { x: 0, y: 0, ...screen.size }));
    ask();
    return { showing, ask };
  });
  await eventually(async () => sent === count);
  for (const { ask } of shown) ask();
  await new Promise((resolve) => setImmediate(resolve));
  const close = async () => {
    leaving.abort();
    await Promise.all(shown.map(({ showing }) => showing));
  };
  return { screen, close };
}

it.each([
  ['raw', Buffer.alloc(0)],
  ['zlib', ZLIB],
])('views with small changes begin few frames in one turn: %s', async (_, encodings) => {
  let frames = 0;
  const { screen, close } = await openViews(VIEWS, encodings, () => {
    frames += 1;
  });
  frames = 0;
  const begin = vi.spyOn(screen, 'pixels');
  const turns: number[] = [];
  const add = () => {
    turns.push(begin.mock.calls.length);
    begin.mockClear();
  };
  const count = () => {
    add();
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  screen.change(...REGIONS);
  await eventually(async () => frames === VIEWS);
  clearImmediate(timer);
  add();
  begin.mockRestore();
  expect(turns.reduce((sum, begun) => sum + begun, 0)).toBe(VIEWS);
  // 8 at once, and 8 that waited.
  expect(Math.max(...turns)).toBeLessThanOrEqual(16);
  await close();
});

it('a few views get a small change in the turn in which it happens', async () => {
  let frames = 0;
  const { screen, close } = await openViews(3, Buffer.alloc(0), () => {
    frames += 1;
  });
  frames = 0;
  screen.change(...REGIONS);
  await new Promise<void>((resolve) => nextTick(resolve));
  expect(frames).toBe(3);
  await close();
});
