import { setTimeout as sleep } from 'node:timers/promises';
import { quantiles } from '../../measure.js';
import { processorTime } from '../../service.js';
import { inOrder, ms } from '../report.js';

const TURNS = 6;
const EACH = 200;
const WARM = 10;
const START_MS = 2_500;

const BLINK = 'while :; do printf "#\\b"; sleep 0.02; printf " \\b"; sleep 0.02; done';
const PRINT = 'while :; do date +%N; sleep 0.005; done';
/** What runs in the computer that is looked at. */
const SCREENS = {
  still: undefined,
  'a caret blinks': `xterm -geometry 40x10+100+100 -e '${BLINK}'`,
  'a small terminal prints': `xterm -geometry 40x10+100+100 -e '${PRINT}'`,
};

/** PNGs over HTTP: medians, and the mean processor time of the service for one. */
export async function measureScreenshots(sides) {
  const rows = [];
  for (const [screen, program] of Object.entries(SCREENS)) {
    const found = sides.map(() => ({ times: [], used: 0 }));
    for (let turn = 0; turn < TURNS; turn++) {
      for (const at of inOrder(sides.length, turn)) await look(sides[at], program, found[at]);
    }
    const what = `screenshot, ${screen}`;
    const medians = found.map(({ times }) => quantiles(times).p50);
    const used = found.map((one) => (one.used / (TURNS * EACH)) * 1000);
    rows.push({ what: `${what}, p50`, values: medians, unit: ms });
    rows.push({ what: `${what}, processor time of the service`, values: used, unit: ms });
  }
  return rows;
}

/** One turn of a side. The program runs only meanwhile, so it does not disturb the other side. */
async function look(side, program, found) {
  const bash = (command) => side.call('POST', `${side.path}/bash`, { command });
  if (program !== undefined) {
    await bash(`${program} >/dev/null 2>&1 &`);
    await sleep(START_MS);
  }
  for (let i = 0; i < WARM; i++) await side.screenshot(side.id);
  // Read once for all of them: it is known to 10 ms only.
  const before = processorTime(side.service.pid);
  for (let i = 0; i < EACH; i++) {
    const startedAt = performance.now();
    await side.screenshot(side.id);
    found.times.push(performance.now() - startedAt);
  }
  found.used += processorTime(side.service.pid) - before;
  if (program !== undefined) await bash('pkill -x xterm; true');
}
