/**
 * Compares computers of the warm pool with others, in turn in one run: from `create` to its answer,
 * the first screenshot, click and command afterwards, and processor time of the whole host.
 *
 *   npm run build && node bench/spares.js [ROUNDS]
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantiles } from './measure.js';
import { withService } from './service.js';

const rounds = Number(process.argv[2] ?? 10);
const flags = ['--engine', 'docker', '--max-running', '4', '--spares', '1'];
const TICKS_PER_SECOND = 100;
/** Time for the last programs of a desktop to start. */
const SETTLE_MS = 3_000;

/** Seconds of processor time of all programs of this host. */
function busySeconds() {
  const [, user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8').split(/\s+/);
  return [user, nice, system, irq, softirq].map(Number).reduce((a, b) => a + b) / TICKS_PER_SECOND;
}

function isReady() {
  const filters = ['--filter', 'label=sh.vc.spare', '--filter', 'status=paused'];
  return execFileSync('docker', ['ps', '--quiet', ...filters], { encoding: 'utf8' }) !== '';
}

const kinds = {
  'from the warm pool': { create: [], use: [], processor: [] },
  'without it': { create: [], use: [], processor: [] },
};

await withService({ flags }, async ({ vc }) => {
  /** A computer, timed. */
  async function measure({ create, use, processor }, name) {
    const busyBefore = busySeconds();
    const createdAt = performance.now();
    const computer = await vc.computers.create('bench', { name });
    const readyAt = performance.now();
    processor.push(busySeconds() - busyBefore);
    create.push(readyAt - createdAt);
    await computer.screenshot();
    await computer.click(5, 5);
    const { stdout } = await computer.bash('hostname');
    use.push(performance.now() - readyAt);
    if (stdout.trim() !== name) throw new Error(`the host name is ${stdout}`);
    return computer;
  }

  const first = await vc.computers.create('bench', { name: 'first' });
  for (let round = 0; round < rounds; round++) {
    while (!isReady()) await sleep(200);
    const warm = await measure(kinds['from the warm pool'], 'warm');
    await sleep(500);
    // Nothing is ready now: the pool fills itself when no computer was created for three seconds.
    const cold = await measure(kinds['without it'], 'cold');
    await sleep(SETTLE_MS);
    await warm.delete();
    await cold.delete();
  }
  await first.delete();
});

for (const [kind, { create, use, processor }] of Object.entries(kinds)) {
  const time = quantiles(create);
  console.log(
    `${kind}: create ${time.p50.toFixed(0)} ms (p95 ${time.p95.toFixed(0)}, minimum ` +
      `${time.min.toFixed(0)}), first use ${quantiles(use).p50.toFixed(0)} ms, processor time ` +
      `${quantiles(processor).p50.toFixed(2)} s`,
  );
}
