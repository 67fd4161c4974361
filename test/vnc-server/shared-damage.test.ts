// @module-tag slow
import { afterEach, expect, test, vi } from 'vitest';
import { Queue } from '../../src/lib/async/queue.js';
import { openScreen } from '../../src/screen/index.js';
import { Damage } from '../../src/screen/model/damage.js';
import { updateRequest } from '../../src/screen/rfb/messages.js';
import { Viewer } from '../../src/vnc-server/viewer.js';
import { FakeServer, raw, update } from '../screen/fake-server.js';

afterEach(() => void vi.restoreAllMocks());

const size = { width: 320, height: 200 };
const UPDATES = 10;
const settled = (ms = 60) => new Promise((resolve) => setTimeout(resolve, ms));

/** 64 pixels all over the screen. */
function scattered(nth: number): Buffer {
  const pixels = Array.from({ length: 64 }, (_, index) => {
    const x = (index * 397 + nth * 31) % size.width;
    const y = (index * 211 + nth * 17) % size.height;
    return raw({ x, y, width: 1, height: 1 }, nth + 1);
  });
  return update(...pixels);
}

/** How many regions are joined when a guest changes many, and how many frames `views` views get. */
async function joined(views: number, asking: 'once' | 'always') {
  const server = new FakeServer(size);
  const screen = await openScreen(server.client);
  const leaving = new AbortController();
  let frames = 0;
  const shown = Array.from({ length: views }, () => {
    const ask = () => viewer.receive(updateRequest('changes', { x: 0, y: 0, ...size }));
    const viewer = new Viewer({
      ...{ mode: 'view', name: 'p/a' },
      onError: (error) => expect.fail(error.message),
      channel: {
        send: async (data) => {
          if (data.length <= 64) return;
          frames += 1;
          if (asking === 'always') setTimeout(ask, 1);
        },
        sendClipboard: () => undefined,
      },
    });
    const showing = viewer.show(screen, new Queue(), leaving.signal);
    for (const text of ['RFB 003.008\n', '\x01', '\x01']) viewer.receive(Buffer.from(text));
    ask();
    return showing;
  });
  await settled();
  frames = 0;
  const add = vi.spyOn(Damage.prototype, 'add').mockClear();
  for (let nth = 0; nth < UPDATES; nth++) {
    server.send(scattered(nth));
    await settled(2);
  }
  await settled();
  const added = add.mock.calls.length;
  leaving.abort();
  await Promise.all(shown);
  screen.close();
  return { added, frames };
}

test('changes are joined once for all views', async () => {
  const one = await joined(1, 'once');
  const many = await joined(10, 'once');
  expect(many.added).toBeLessThan(1.5 * one.added);
});

test('views that show the changes join few regions for each frame', async () => {
  const one = await joined(1, 'always');
  const many = await joined(4, 'always');
  expect(one.frames).toBeGreaterThan(1);
  expect(many.frames).toBeGreaterThan(7);
  // Each frame has at most 16 regions.
  expect(many.added).toBeLessThan(1.5 * one.added + 16 * many.frames);
});
