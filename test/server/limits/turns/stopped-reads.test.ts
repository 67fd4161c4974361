import { expect, it } from 'vitest';
import { StoppedReads } from '../../../../src/server/limits/turns/stopped-reads.js';

function connection(queue: string) {
  let isRead = true;
  return {
    queue,
    reads: 0,
    isRead: () => isRead,
    stop: () => {
      const wasRead = isRead;
      isRead = false;
      return wasRead;
    },
    start: () => {
      isRead = true;
    },
  };
}

it.each([
  [1, 2_000],
  [8, 250],
  [21, 100],
  [40, 50],
])(
  'with %i queues of %i connections, one of another queue is read every few turns',
  (queues, each) => {
    const others = Array.from({ length: queues * each }, (_, n) => connection(`key ${n % queues}`));
    const own = connection('own');
    const all = [...others, own];
    const stopped = new StoppedReads();
    const stopAll = () => {
      for (const one of all) stopped.stop(one, one.queue);
    };
    stopAll();
    for (let turn = 0; turn < 200; turn++) {
      stopped.start();
      // There is time for none of them in this turn.
      stopAll();
      const read = all.filter((one) => one.isRead());
      expect(read).toHaveLength(16);
      for (const one of read) one.reads += 1;
    }
    expect(own.reads).toBeGreaterThan(40);
  },
);
