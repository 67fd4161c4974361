import { expect, test, vi } from 'vitest';
import { Queue } from '../../src/lib/async/queue.js';
import * as geometry from '../../src/screen/geometry.js';
import { openScreen } from '../../src/screen/index.js';
import { updateRequest } from '../../src/screen/rfb/messages.js';
import { Viewer } from '../../src/vnc-server/viewer.js';
import { FakeServer, raw, update } from '../screen/fake-server.js';

vi.mock('../../src/screen/geometry.js', { spy: true });

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

/** How many regions are compared when a guest changes many, and how many frames `views` views get. */
async function compared(views: number, asking: 'once' | 'always') {
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
        memory: { reserve: async () => ({ shrink: () => undefined, release: () => undefined }) },
      },
    });
    const showing = viewer.show(screen, new Queue(), leaving.signal);
    for (const text of ['RFB 003.008\n', '\x01', '\x01']) viewer.receive(Buffer.from(text));
    ask();
    return showing;
  });
  await settled();
  frames = 0;
  vi.mocked(geometry.union).mockClear();
  for (let nth = 0; nth < UPDATES; nth++) {
    server.send(scattered(nth));
    await settled(2);
  }
  await settled();
  const comparisons = vi.mocked(geometry.union).mock.calls.length;
  leaving.abort();
  await Promise.all(shown);
  screen.close();
  return { comparisons, frames };
}

test('changes are joined once for all views', async () => {
  const one = await compared(1, 'once');
  const many = await compared(10, 'once');
  expect(many.comparisons).toBeLessThan(1.5 * one.comparisons);
});

test('views that show the changes get them with few comparisons', async () => {
  const one = await compared(1, 'always');
  const many = await compared(4, 'always');
  expect(one.frames).toBeGreaterThan(1);
  expect(many.frames).toBeGreaterThan(7);
  // At most 16 regions, each compared with those before it.
  const each = (16 * 15) / 2 + 16 * 2;
  expect(many.comparisons).toBeLessThan(1.5 * one.comparisons + each * many.frames);
});
