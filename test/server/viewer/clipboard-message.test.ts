import { expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { Queue } from '../../../src/lib/async/queue.js';
import { openScreen } from '../../../src/screen/index.js';
import { MemoryBudget } from '../../../src/server/limits/memory-budget.js';
import {
  clipboardChannel,
  VIEW_LIMITS,
  viewMemory,
} from '../../../src/server/viewer/view-memory.js';
import { Viewer } from '../../../src/vnc-server/viewer.js';
import { FakeServer, guestClipboard } from '../../screen/fake-server.js';
import { fullKeyOf } from '../../support/accounts/key-in-use.js';
import { eventually } from '../../support/eventually.js';

const key = fullKeyOf('usr_a');
const VIEWS = 10;

/** Lets several views show one screen; resolves to what each is sent when the guest copies `text`. */
async function copiedTo(text: string): Promise<Buffer[]> {
  const server = new FakeServer();
  const screen = await openScreen(server.client);
  const budget = new MemoryBudget(VIEW_LIMITS);
  const leaving = new AbortController();
  const sent: Buffer[] = [];
  const socket = {
    ...{ readyState: 1, OPEN: 1 },
    send: (data: Buffer, _options: object, done: () => void) => {
      sent.push(data);
      setImmediate(done);
    },
  };
  const shown = Array.from({ length: VIEWS }, () => {
    const viewer = new Viewer({
      ...{ mode: 'control', name: 'p/a' },
      onError: (error) => expect.fail(error.message),
      channel: {
        ownerId: 'usr_a',
        send: async () => undefined,
        sendClipboard: clipboardChannel(socket as unknown as WebSocket, budget, key),
        memory: viewMemory(budget, key),
      },
    });
    return viewer.show(screen, new Queue(), leaving.signal);
  });
  server.send(guestClipboard(text));
  await eventually(async () => sent.length === VIEWS);
  leaving.abort();
  await Promise.all(shown);
  screen.close();
  return sent;
}

test('a text that a guest copies becomes JSON once for all views, in pieces', async () => {
  const text = '\x01'.repeat(100_000);
  const stringify = vi.spyOn(JSON, 'stringify');
  const sent = await copiedTo(text);
  const lengths = stringify.mock.results
    .map(({ value }) => String(value).length)
    .filter((length) => length > 1000);
  stringify.mockRestore();
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(7 * text.length);
  expect(Math.max(...lengths)).toBeLessThan(50_000);
  expect(new Set(sent).size).toBe(1);
  expect(JSON.parse(String(sent[0]))).toEqual({ type: 'clipboard', text });
});

test('every text arrives exactly, also where it is divided', async () => {
  const text = `x${'👍'.repeat(10_000)}"\\\n`;
  const [message] = await copiedTo(text);
  expect(JSON.parse(String(message))).toEqual({ type: 'clipboard', text });
});
