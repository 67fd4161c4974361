import { expect, test } from 'vitest';
import { Queue } from '../../src/lib/async/queue.js';
import { updateRequest } from '../../src/screen/rfb/messages.js';
import { MemoryBudget } from '../../src/server/limits/memory-budget.js';
import { viewMemory } from '../../src/server/viewer/view-memory.js';
import { cursorRectangle, ViewEncoding } from '../../src/vnc-server/server-messages.js';
import { Viewer } from '../../src/vnc-server/viewer.js';
import { fullKeyOf } from '../support/accounts/key-in-use.js';
import { eventually } from '../support/eventually.js';
import { FakeScreen } from '../support/fake-connectors.js';

const MIB = 1024 * 1024;
const VIEWS = 18;
const key = fullKeyOf('usr_a');
const size = { width: 520, height: 520 };
const whole = { x: 0, y: 0, ...size };

function cursorOf(edge: number, fill: number) {
  const pixels = Buffer.alloc(edge * edge * 4, fill);
  return { width: edge, height: edge, hotX: 0, hotY: 0, pixels };
}

/** Shows a screen to views that have read its first frame and wait for changes; then gives it a pointer. */
async function showPointer(budget: MemoryBudget, cursor: ReturnType<typeof cursorOf>) {
  const screen = Object.assign(new FakeScreen(), { size, pointer: { x: 0, y: 0 } });
  screen.setMaxListeners(0);
  const leaving = new AbortController();
  const unread: { readonly bytes: number; readonly data: Buffer; read(): void }[] = [];
  let mostAtOnce = 0;
  let atOnce = 0;
  const pixels = screen.pixels.bind(screen);
  screen.pixels = (regions) => {
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    setImmediate(() => {
      atOnce = 0;
    });
    return pixels(regions);
  };
  let begun = 0;
  let waitsForReading = false;
  const views = Array.from({ length: VIEWS }, () => {
    const viewer = new Viewer({
      ...{ mode: 'view', name: 'p/a' },
      onError: (error) => expect.fail(error.message),
      channel: {
        ownerId: 'usr_a',
        send: async (data) => {
          if (data.length > MIB) begun += 1;
          if (!waitsForReading) return;
          await new Promise<void>((read) => unread.push({ bytes: data.length, data, read }));
        },
        sendClipboard: () => undefined,
        memory: viewMemory(budget, key),
      },
    });
    const showing = viewer.show(screen, new Queue(), leaving.signal);
    const encodings = Buffer.from([2, 0, 0, 1, 0, 0, 0, 0]);
    encodings.writeInt32BE(ViewEncoding.vmwareCursor, 4);
    for (const text of ['RFB 003.008\n', '\x01', '\x01']) viewer.receive(Buffer.from(text));
    viewer.receive(encodings);
    viewer.receive(updateRequest('whole', whole));
    return { viewer, showing };
  });
  await eventually(async () => begun === VIEWS);
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (const { viewer } of views) viewer.receive(updateRequest('changes', whole));
  waitsForReading = true;
  mostAtOnce = 0;
  Object.assign(screen, { cursor });
  screen.emit('cursor', cursor);
  const end = async () => {
    leaving.abort();
    for (const { read } of unread) read();
    await Promise.all(views.map(({ showing }) => showing));
  };
  return { unread, end, mostAtOnce: () => mostAtOnce };
}

test('the image of a pointer is made once for all views', () => {
  const cursor = cursorOf(512, 7);
  const made = cursorRectangle(cursor);
  expect(cursorRectangle(cursor) === made).toBe(true);
});

test('images of pointers that views do not read count as their memory', async () => {
  const budget = new MemoryBudget({ ownerBytes: 5 * MIB, bytes: 100 * MIB });
  const { unread, end } = await showPointer(budget, cursorOf(512, 7));
  await eventually(async () => unread.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(unread.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(5 * MIB);
  expect(unread[0]?.data.includes(cursorRectangle(cursorOf(512, 7)))).toBe(true);
  // Every view gets it once others have read theirs.
  for (let nth = 0; nth < VIEWS; nth++) {
    await eventually(async () => unread.length > nth);
    unread[nth]?.read();
  }
  await end();
  expect(budget.tryHold(key, 5 * MIB) && !budget.tryHold(key, 1)).toBe(true);
});

test('views draw a large pointer in several turns of the event loop', async () => {
  const budget = new MemoryBudget({ ownerBytes: 200 * MIB, bytes: 200 * MIB });
  const { unread, end, mostAtOnce } = await showPointer(budget, cursorOf(256, 7));
  await eventually(async () => unread.length === VIEWS);
  expect(mostAtOnce()).toBeLessThan(VIEWS);
  await end();
});
