import { expect } from 'vitest';
import { Queue } from '../../src/lib/async/queue.js';
import { updateRequest } from '../../src/screen/rfb/messages.js';
import { MemoryBudget } from '../../src/server/limits/memory-budget.js';
import { viewMemory } from '../../src/server/viewer/view-memory.js';
import { Viewer } from '../../src/vnc-server/viewer.js';
import { fullKeyOf } from '../support/accounts/key-in-use.js';
import { eventually } from '../support/eventually.js';
import { FakeScreen } from '../support/fake-connectors.js';
import { promise } from '../support/run/promise.js';

const key = fullKeyOf('usr_a');
const VIEWERS = 12;
/** Of a screen of 1280x800 without compression. */
const FRAME = 1280 * 800 * 4;

promise(29, 'frames for viewers that do not read take limited memory', async (report) => {
  const budget = new MemoryBudget({ ownerBytes: 2.5 * FRAME, bytes: 100 * FRAME });
  const screen = new FakeScreen();
  screen.setMaxListeners(100);
  const frames: (() => void)[] = [];
  const shown = Array.from({ length: VIEWERS }, () => {
    const leaving = new AbortController();
    const viewer = new Viewer({
      ...{ mode: 'view', name: 'p/a' },
      onError: (error) => expect.fail(error.message),
      channel: {
        ownerId: 'usr_a',
        send: (data) =>
          data.length < FRAME ? Promise.resolve() : new Promise((done) => frames.push(done)),
        sendClipboard: () => undefined,
        memory: viewMemory(budget, key),
      },
    });
    const showing = viewer.show(screen, new Queue(), leaving.signal);
    const whole = updateRequest('whole', { x: 0, y: 0, width: 1280, height: 800 });
    for (const message of ['RFB 003.008\n', '\x01', '\x01', whole]) {
      viewer.receive(Buffer.from(message));
    }
    return { showing, leaving };
  });
  await eventually(async () => frames.length >= 2);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(frames).toHaveLength(2);
  report(`of ${VIEWERS} frames 2 in memory`);
  // Every viewer has its turn once another has read its frame.
  for (let sent = 1; sent <= VIEWERS; sent++) {
    await eventually(async () => frames.length >= Math.min(VIEWERS, sent));
    frames[sent - 1]?.();
  }
  for (const { leaving } of shown) leaving.abort();
  await Promise.all(shown.map(({ showing }) => showing));
  expect(budget.tryHold(key, 2.5 * FRAME) && !budget.tryHold(key, 1)).toBe(true);
});
