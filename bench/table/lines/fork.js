import { setTimeout as sleep } from 'node:timers/promises';
import { quantiles } from '../../measure.js';
import { openHeartbeat } from '../heartbeat.js';
import { inOrder, ms } from '../report.js';

const ROUNDS = 4;
/** For the desktop of the source, and for what a deleted copy leaves. */
const SETTLE_MS = 20_000;
const PAUSE_MS = 5_000;
const TOTAL_MS = 2_500;
const GAP_MS = 300;

/**
 * Copies of a running virtual machine with 2 GB: until the copy has answered a screenshot and a
 * command, and the longest silence of a program in the source that prints all the time.
 */
export async function measureFork(sides) {
  const sources = [];
  for (const side of sides) sources.push(await side.create('source'));
  await sleep(SETTLE_MS);
  const found = sides.map(() => ({ total: [], gap: [], usual: [] }));
  for (let round = -1; round < ROUNDS; round++) {
    for (const at of inOrder(sides.length, round)) {
      const one = await forkOne(sides[at], sources[at], `copy-${round + 1}`);
      if (round < 0) continue;
      for (const name of Object.keys(one)) found[at][name].push(one[name]);
    }
  }
  const values = (name) => found.map((one) => quantiles(one[name]).p50);
  return [
    {
      what: 'fork of a running 2 GB machine to screenshot and command, p50',
      ...{ values: values('total'), unit: ms },
      goal: { text: '2.5 s', most: TOTAL_MS },
    },
    {
      what: 'its longest pause of the source, p50',
      ...{ values: values('gap'), unit: ms },
      ...{ floor: 'without a fork', least: values('usual').at(-1) },
      goal: { text: '300 ms', most: GAP_MS },
    },
  ];
}

async function forkOne(side, source, name) {
  const heartbeat = await openHeartbeat(side, `/computers/${source}`);
  try {
    const before = performance.now();
    await sleep(PAUSE_MS);
    const startedAt = performance.now();
    const copy = await side.fork(source, name);
    await side.screenshot(copy);
    await side.call('POST', `/computers/${copy}/bash`, { command: 'true' });
    const endedAt = performance.now();
    // The beat that ends the last silence.
    await sleep(1_000);
    const gap = heartbeat.longest(startedAt, endedAt);
    const usual = heartbeat.longest(before, startedAt);
    await side.remove(copy);
    return { total: endedAt - startedAt, gap, usual };
  } finally {
    heartbeat.close();
    await sleep(PAUSE_MS);
  }
}
