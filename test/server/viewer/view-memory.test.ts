import { expect } from 'vitest';
import type { WebSocket } from 'ws';
import { MemoryBudget } from '../../../src/server/limits/memory-budget.js';
import { clipboardChannel } from '../../../src/server/viewer/view-memory.js';
import { fullKeyOf } from '../../support/accounts/key-in-use.js';
import { promise } from '../../support/run/promise.js';

const key = fullKeyOf('usr_a');
const allTurns = () => new Promise((resolve) => setTimeout(resolve, 20));

promise(
  29,
  'texts that a guest copies are not queued for a viewer that does not read',
  async (report) => {
    const sent: { text: string; done: () => void }[] = [];
    const socket = {
      ...{ readyState: 1, OPEN: 1 },
      send: (data: Buffer, _options: object, done: () => void) =>
        sent.push({ text: (JSON.parse(data.toString()) as { text: string }).text, done }),
    };
    const budget = new MemoryBudget({ ownerBytes: 1000, bytes: 1000 });
    const copied = clipboardChannel(socket as unknown as WebSocket, budget, key);
    copied({ text: 'text 0' });
    await allTurns();
    for (let count = 1; count < 100; count++) copied({ text: `text ${count}` });
    await allTurns();
    expect(sent.map(({ text }) => text)).toEqual(['text 0']);
    sent[0]?.done();
    await allTurns();
    expect(sent.map(({ text }) => text)).toEqual(['text 0', 'text 99']);
    sent[1]?.done();
    await allTurns();
    // Without memory a text is dropped.
    budget.tryHold(key, 990);
    copied({ text: 'dropped' });
    await allTurns();
    expect(sent).toHaveLength(2);
    budget.release(key, 990);
    copied({ text: 'kept' });
    await allTurns();
    expect(sent.at(-1)?.text).toBe('kept');
    report('of 100 texts the first and the last');
  },
);
