import { setTimeout as sleep } from 'node:timers/promises';
import { quantiles } from '../../measure.js';
import { inOrder, ms } from '../report.js';

const ROUNDS = 8;
const REFILL_MS = 60_000;
const ATTEMPTS = 3;
/** For what a deletion leaves to do. */
const QUIET_MS = 4_000;
const MOST_MS = 150;

/** From `create` to the first screenshot, click and command, one after the other. */
export async function measureWarmPool(sides) {
  const last = sides.at(-1);
  const times = sides.map(() => ({ ready: [], usable: [] }));
  // Each service sees one computer start, so its pool is filled for computers like it.
  for (const side of sides) await side.create('first');
  await refilled(last);
  for (let round = -1; round < ROUNDS; round++) {
    for (const at of inOrder(sides.length, round)) {
      await sleep(QUIET_MS);
      const one = await useNew(sides[at], `round-${round + 1}`);
      // Of this checkout: it must not fill its pool beside the other one's creation.
      await refilled(last);
      await sides[at].remove(one.id);
      if (round < 0) continue;
      times[at].ready.push(one.ready);
      times[at].usable.push(one.usable);
    }
  }
  const values = (name) => times.map((one) => quantiles(one[name]).p50);
  const pool = 'with a warm pool';
  return [
    {
      what: `create to screenshot, click and command, ${pool}, p50`,
      ...{ values: values('usable'), unit: ms },
      goal: { text: `${MOST_MS} ms`, most: MOST_MS },
    },
    { what: `create to ready, ${pool}, p50`, values: values('ready'), unit: ms },
  ];
}

async function useNew(side, name) {
  const startedAt = performance.now();
  const id = await side.create(name);
  const ready = performance.now() - startedAt;
  await side.screenshot(id);
  await side.call('POST', `/computers/${id}/click`, { x: 600, y: 400 });
  await side.call('POST', `/computers/${id}/bash`, { command: 'true' });
  const usable = performance.now() - startedAt;
  return { id, ready, usable };
}

/**
 * Resolves when the service has a paused machine ready. On a busy host one can fail to start in time,
 * and is not made again before the next computer starts.
 */
async function refilled(side) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await side.remove(await side.create(`attempt-${attempt}`));
    for (const end = Date.now() + REFILL_MS; Date.now() < end; await sleep(200)) {
      const filters = { label: ['sh.vc.spare'], status: ['paused'] };
      const ready = await side.engine.docker.listContainers({ all: true, filters });
      if (ready.length > 0) return;
    }
  }
  const late = `${side.name}: the warm pool was not filled; the log of its service:`;
  throw new Error(`${late}\n${side.service.log()}`);
}
