import { setTimeout as sleep } from 'node:timers/promises';
import { availableMemory, memory } from '../../service.js';
import { AT_ONCE, createAll, removeAll } from '../desktops.js';

const SETTLE_MS = 20_000;
const seconds = (value) => `${value.toFixed(1)} s`;
const mb = (value) => `${value.toFixed(1)} MB`;

/**
 * Creates and deletes many desktops: those of one side after those of the other, which are deleted
 * before, because they need the memory.
 */
export async function measureDesktops(sides, count) {
  const found = [];
  for (const side of sides) found.push(await measureOne(side, count));
  const values = (name) => found.map((one) => one[name]);
  const part = (name, divisor, text) =>
    found.length > 1 ? { text, most: found[0][name] / divisor } : undefined;
  return [
    {
      what: `${count} desktops created, ${AT_ONCE} at a time`,
      ...{ values: values('created'), unit: seconds },
      goal: part('created', 2, 'half of before'),
    },
    {
      what: `${count} desktops deleted at once`,
      ...{ values: values('deleted'), unit: seconds },
      goal: part('deleted', 3, 'a third of before'),
    },
    {
      what: `memory of the service for each of ${count} new desktops`,
      ...{ values: values('service'), unit: mb },
    },
    {
      what: `memory of the host for each of ${count} idle desktops`,
      ...{ values: values('host'), unit: mb },
    },
  ];
}

async function measureOne(side, count) {
  // The first creations load code and grow heaps once.
  await removeAll(side, await createAll(side, AT_ONCE, 'first'));
  const [rss, available] = [memory(side.service.pid, 'VmRSS'), availableMemory()];
  const creating = performance.now();
  const ids = await createAll(side, count, 'one-of-many');
  const created = (performance.now() - creating) / 1000;
  await sleep(SETTLE_MS);
  const service = (memory(side.service.pid, 'VmRSS') - rss) / count;
  const host = (available - availableMemory()) / count;
  const deleting = performance.now();
  await removeAll(side, ids);
  return { created, service, host, deleted: (performance.now() - deleting) / 1000 };
}
