import { expect, it } from 'vitest';
import type { EventSubscription } from '../../../src/fleet/events/events.js';
import { EventStream } from '../../../src/server/http/event-stream.js';

it('many streams of an owner read in many turns of the event loop', async () => {
  let turn = 0;
  let isCounting = true;
  const count = () => {
    turn += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  const reads = new Map<number, number>();
  const subscription = {
    position: '1-1',
    read: () => {
      reads.set(turn, (reads.get(turn) ?? 0) + 1);
      return [];
    },
    close: () => undefined,
  } as unknown as EventSubscription;
  const listeners: (() => void)[] = [];
  const streams = Array.from({ length: 40 }, () => {
    const stream = new EventStream(subscription, 'usr_a', (added) => {
      listeners.push(added);
      return () => undefined;
    });
    return stream.resume();
  });
  const total = () => [...reads.values()].reduce((sum, one) => sum + one, 0);
  await expect.poll(total).toBe(40);
  for (const added of listeners) added();
  await expect.poll(total).toBe(80);
  expect(Math.max(...reads.values())).toBeLessThanOrEqual(8);
  isCounting = false;
  for (const stream of streams) stream.destroy();
});
