import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Queue } from '../../src/lib/async/queue.js';
import { openScreen } from '../../src/screen/index.js';
import { updateRequest } from '../../src/screen/rfb/messages.js';
import { ViewEncoding } from '../../src/vnc-server/server-messages.js';
import { Viewer } from '../../src/vnc-server/viewer.js';
import { FakeServer } from '../screen/fake-server.js';
import { eventually } from '../support/eventually.js';

const size = { width: 1280, height: 800 };
const { tight, zlib } = ViewEncoding;

/** The encoding of the first frame for a viewer that takes `ms` for each answer. */
async function firstEncoding(ms: number): Promise<number | undefined> {
  const screen = await openScreen(new FakeServer(size).client);
  const leaving = new AbortController();
  let encoding: number | undefined;
  const viewer = new Viewer({
    ...{ mode: 'view', name: 'p/a' },
    onError: (error) => expect.fail(error.message),
    channel: {
      send: async (data) => {
        if (data[0] === 0 && data.length > 64) encoding ??= data.readInt32BE(12);
      },
      sendClipboard: () => undefined,
    },
  });
  const showing = viewer.show(screen, new Queue(), leaving.signal);
  for (const text of ['RFB 003.008\n', '\x01', '\x01']) {
    viewer.receive(Buffer.from(text));
    await sleep(ms);
  }
  const encodings = Buffer.from([2, 0, 0, 2, 0, 0, 0, tight, 0, 0, 0, zlib]);
  viewer.receive(encodings);
  viewer.receive(updateRequest('changes', { x: 0, y: 0, ...size }));
  await eventually(async () => encoding !== undefined);
  leaving.abort();
  await showing;
  screen.close();
  return encoding;
}

test('the first frame is exact, and JPEG for a viewer that answers slowly', async () => {
  expect(await firstEncoding(0)).toBe(zlib);
  expect(await firstEncoding(80)).toBe(tight);
});
