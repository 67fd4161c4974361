import { setTimeout as sleep } from 'node:timers/promises';
import { quantiles } from '../../measure.js';
import { hostProcessorTime } from '../../service.js';
import { inOrder } from '../report.js';

const ROUNDS = 5;
/** From the creation: a desktop is idle then, also the slower one of the other checkout. */
const WINDOW_MS = 12_000;
/** Before it, to measure what the host does anyway. */
const BASE_MS = 5_000;
const unit = (seconds) => `${seconds.toFixed(2)} s`;

/**
 * Processor time of one desktop from `create` until it is idle: that of its container, and that of the
 * whole host, with the service and the Docker Engine, above what the host uses anyway.
 */
export async function measureStart(sides) {
  const times = sides.map(() => ({ host: [], container: [] }));
  for (let round = -1; round < ROUNDS; round++) {
    for (const at of inOrder(sides.length, round)) {
      const one = await startOne(sides[at], `start-${round + 1}`);
      if (round < 0) continue;
      times[at].host.push(one.host);
      times[at].container.push(one.container);
    }
  }
  return Object.entries({ host: 'whole host', container: 'container only' }).map(
    ([name, which]) => {
      const values = times.map((one) => quantiles(one[name]).p50);
      const goal = values.length > 1 && { text: 'half of before', most: values[0] / 2 };
      const what = `processor time of a desktop until idle, ${which}`;
      return { what, values, unit, goal: goal || undefined };
    },
  );
}

async function startOne(side, name) {
  const idle = await hostProcessor(() => sleep(BASE_MS));
  let id;
  const started = await hostProcessor(async () => {
    const end = sleep(WINDOW_MS);
    id = await side.create(name);
    await end;
  });
  const container = side.engine.docker.getContainer(`vc-${id}`);
  const { cpu_stats: cpu } = await container.stats({ stream: false, 'one-shot': true });
  await side.remove(id);
  return {
    host: started.used - (idle.used / idle.seconds) * started.seconds,
    container: cpu.cpu_usage.total_usage / 1e9,
  };
}

async function hostProcessor(work) {
  const [before, startedAt] = [hostProcessorTime(), performance.now()];
  await work();
  const seconds = (performance.now() - startedAt) / 1000;
  return { used: hostProcessorTime() - before, seconds };
}
