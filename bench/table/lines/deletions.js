import { setTimeout as sleep } from 'node:timers/promises';
import { createAll, removeAll } from '../desktops.js';

const SETTLE_MS = 10_000;
const unit = (seconds) => `${seconds.toFixed(1)} s`;

/** Deletes many desktops at once; those of one side at a time, because they need the memory. */
export async function measureDeletions(sides, count) {
  const values = [];
  for (const side of sides) {
    const ids = await createAll(side, count, 'one-of-many');
    await sleep(SETTLE_MS);
    const startedAt = performance.now();
    await removeAll(side, ids);
    values.push((performance.now() - startedAt) / 1000);
  }
  const goal = values.length > 1 && { text: 'a third of before', most: values[0] / 3 };
  return [{ what: `${count} desktops deleted at once`, values, unit, goal: goal || undefined }];
}
