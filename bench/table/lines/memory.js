import { setTimeout as sleep } from 'node:timers/promises';
import { memory } from '../../service.js';

const COMPUTERS = 10;
/** The goal is for a computer that nobody has looked at for a minute. */
const IDLE_MS = 65_000;
const MOST_MB = 2;

/**
 * What the service takes for each computer that was used once and then not looked at for a minute:
 * its memory then, without what it had before with one computer, after each has had the same use.
 */
export async function measureMemory(sides) {
  const values = await Promise.all(sides.map(perComputer));
  return [
    {
      what: 'memory of the service for each idle computer',
      ...{ values, unit: (mb) => `${mb.toFixed(1)} MB` },
      goal: { text: `${MOST_MB} MB`, most: MOST_MB },
    },
  ];
}

async function perComputer(side) {
  const use = async (id) => {
    await side.screenshot(id);
    await side.call('POST', `/computers/${id}/bash`, { command: 'true' });
  };
  await use(side.id);
  // The first creations load code and grow heaps once.
  await removeAll(side, await createAll(side, 3, 'warm'));
  await sleep(IDLE_MS);
  const before = memory(side.service.pid, 'VmRSS');
  const ids = await createAll(side, COMPUTERS, 'idle');
  for (const id of ids) await use(id);
  await sleep(IDLE_MS);
  const after = memory(side.service.pid, 'VmRSS');
  await removeAll(side, ids);
  return (after - before) / COMPUTERS;
}

async function createAll(side, count, prefix) {
  const ids = [];
  for (let i = 0; i < count; i++) ids.push(await side.create(`${prefix}-${i}`));
  return ids;
}

async function removeAll(side, ids) {
  for (const id of ids) await side.remove(id);
}
