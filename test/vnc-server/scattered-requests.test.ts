// @module-tag slow
import { expect, it, vi } from 'vitest';
import { Queue } from '../../src/lib/async/queue.js';
import { Damage } from '../../src/screen/model/damage.js';
import { updateRequest } from '../../src/screen/rfb/messages.js';
import type { Region } from '../../src/screen/types.js';
import { Viewer } from '../../src/vnc-server/viewer.js';
import { eventually } from '../support/eventually.js';
import { FakeScreen } from '../support/fake-connectors.js';
import { promise } from '../support/run/promise.js';

/** A viewer whose frames are on their way until they are read. */
async function openViewer() {
  const screen = new FakeScreen();
  const frames: { readonly data: Buffer; readonly read: () => void }[] = [];
  const leaving = new AbortController();
  let isReady = false;
  const viewer = new Viewer({
    ...{ mode: 'view', name: 'p/a' },
    onError: (error) => expect.fail(error.message),
    channel: {
      send: (data) =>
        isReady ? new Promise((read) => frames.push({ data, read })) : Promise.resolve(),
      sendClipboard: () => undefined,
    },
  });
  const showing = viewer.show(screen, new Queue(), leaving.signal);
  for (const message of ['RFB 003.008\n', '\x01', '\x01']) viewer.receive(Buffer.from(message));
  isReady = true;
  const ask = (...regions: Region[]) =>
    viewer.receive(Buffer.concat(regions.map((region) => updateRequest('whole', region))));
  const close = async () => {
    leaving.abort();
    for (const { read } of frames) read();
    await showing;
  };
  return { ask, frames, screen, close };
}

/** How many rectangles a frame has, and the first of them. */
function shown(frame: { readonly data: Buffer } | undefined) {
  const data = frame?.data ?? Buffer.alloc(12);
  const [count = 0, ...rectangle] = [2, 4, 6, 8, 10].map((at) => data.readUInt16BE(at));
  return { count, rectangle };
}

const part = (index: number): Region => ({ x: 20 * index, y: 15 * index, width: 1, height: 1 });

promise(29, 'scattered requests of a viewer are answered by the whole screen', async (report) => {
  const { ask, frames, screen, close } = await openViewer();
  const { width, height } = screen.size;
  ask({ x: 0, y: 0, width, height });
  await eventually(async () => frames.length === 1);
  const add = vi.spyOn(Damage.prototype, 'add');
  const many = 10_000;
  ask(...Array.from({ length: many }, (_, index) => part(index % 30)));
  const whole = add.mock.calls.filter(([region]) => region.width === width).length;
  const others = add.mock.calls.length - whole;
  add.mockRestore();
  expect(whole).toBeGreaterThan(0);
  // Joining scattered regions is what costs much.
  expect(others).toBeLessThan(5);
  frames[0]?.read();
  await eventually(async () => frames.length === 2);
  expect(shown(frames[1])).toEqual({ count: 1, rectangle: [0, 0, width, height] });
  report(`of ${many} requests ${others} joined as regions`);
  await close();
});

it('a single request is answered by its region', async () => {
  const { ask, frames, screen, close } = await openViewer();
  ask({ x: 0, y: 0, ...screen.size });
  await eventually(async () => frames.length === 1);
  frames[0]?.read();
  ask(part(2));
  await eventually(async () => frames.length === 2);
  expect(shown(frames[1])).toEqual({ count: 1, rectangle: [40, 30, 1, 1] });
  await close();
});
