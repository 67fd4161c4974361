import { expect } from 'vitest';
import type { WebSocket } from 'ws';
import { MemoryBudget } from '../../../src/server/limits/memory-budget.js';
import { clipboardChannel } from '../../../src/server/viewer/view-memory.js';
import { fullKeyOf } from '../../support/accounts/key-in-use.js';
import { promise } from '../../support/run/promise.js';

const key = fullKeyOf('usr_a');
promise(
  29,
  'texts that a guest copies are not queued for a viewer that does not read',
  (report) => {
    const sent: { text: string; done: () => void }[] = [];
    const socket = {
      ...{ readyState: 1, OPEN: 1 },
      send: (data: Buffer, _options: object, done: () => void) =>
        sent.push({ text: (JSON.parse(data.toString()) as { text: string }).text, done }),
    };
    const budget = new MemoryBudget({ ownerBytes: 1000, bytes: 1000 });
    const copied = clipboardChannel(socket as unknown as WebSocket, budget, key);
    for (let count = 0; count < 100; count++) copied(`text ${count}`);
    expect(sent.map(({ text }) => text)).toEqual(['text 0']);
    sent[0]?.done();
    expect(sent.map(({ text }) => text)).toEqual(['text 0', 'text 99']);
    sent[1]?.done();
    // Without memory a text is dropped.
    budget.tryHold(key, 990);
    copied('dropped');
    expect(sent).toHaveLength(2);
    budget.release(key, 990);
    copied('kept');
    expect(sent.at(-1)?.text).toBe('kept');
    report('of 100 texts the first and the last');
  },
);
