import { setTimeout as sleep } from 'node:timers/promises';
import { quantiles } from '../../measure.js';
import { inOrder, ms } from '../report.js';

const ROUNDS = 8;
const REFILL_MS = 180_000;
/** Beyond the time that a service waits before it fills its pool. */
const QUIET_MS = 4_000;
const MOST_MS = 150;

/** From `create` to the first screenshot, click and command, one after the other. */
export async function measureWarmPool(sides) {
  const last = sides.at(-1);
  const times = sides.map(() => ({ ready: [], usable: [] }));
  // Each service sees one computer start, so its pool is filled for computers like it.
  for (const side of sides) await side.remove(await side.create('first'));
  for (let round = -1; round < ROUNDS; round++) {
    for (const at of inOrder(sides.length, round)) {
      // Of this checkout: it must not fill its pool beside the other one's creation.
      await refilled(last);
      await sleep(QUIET_MS);
      const one = await useNew(sides[at], `round-${round + 1}`);
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
  await side.remove(id);
  return { ready, usable };
}

/** Resolves when the service has a paused machine ready. */
async function refilled({ name, engine }) {
  const filters = { label: ['sh.vc.spare'], status: ['paused'] };
  for (const end = Date.now() + REFILL_MS; Date.now() < end; await sleep(200)) {
    if ((await engine.docker.listContainers({ all: true, filters })).length > 0) return;
  }
  throw new Error(`${name}: the warm pool was not filled within ${REFILL_MS / 1000} s`);
}
