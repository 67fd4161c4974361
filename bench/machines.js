/**
 * Measures virtual machines on this machine: creation from a template compared with booting in the
 * same run, input, and copies. Requires an image (`vc image build linux --engine qemu`) and a
 * template of it (`vc image warm linux`) in a state directory; they are hard-linked:
 *
 *   npm run build && node bench/machines.js [STATE_DIRECTORY]
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sample } from './measure.js';
import { withService } from './service.js';

const seed = process.argv[2] ?? join(homedir(), '.local', 'state', 'vc');
const flags = ['--engine', 'qemu', '--max-running', '8', '--spares', '1'];

/** Links the images and templates of the seed into the state directory. */
function prepare(state) {
  mkdirSync(join(state, 'qemu'), { recursive: true, mode: 0o700 });
  for (const name of ['images', 'templates']) {
    execFileSync('cp', ['-al', join(seed, 'qemu', name), join(state, 'qemu')]);
  }
}

async function timed(work) {
  const startedAt = performance.now();
  const result = await work();
  return [performance.now() - startedAt, result];
}

/** Private memory in MB of each QEMU process of this service. */
function unshared() {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const name = readFileSync(`/proc/${pid}/comm`, 'utf8');
      const status = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (!name.startsWith('qemu-system') || !status.includes('share=off')) return [];
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      const dirty = /Private_Dirty:\s+(\d+)/.exec(rollup)?.[1];
      return [Math.round(Number(dirty) / 1024)];
    } catch {
      return [];
    }
  });
}

const ms = (value) => `${Math.round(value * 10) / 10} ms`;
const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

await withService({ flags, prepare }, async ({ vc }) => {
  const rows = [];
  const times = [];
  const computers = [];
  for (let i = 0; i < 4; i++) {
    const [time, computer] = await timed(() => vc.computers.create('bench', { name: `m${i}` }));
    times.push(time);
    computers.push(computer);
  }
  const clone = middle(times);
  rows.push(['create to ready, from a template', ms(clone)]);
  const [computer] = computers;
  await sleep(30_000);
  rows.push(['private memory of four idle machines', `${unshared().join(', ')} MB`]);
  rows.push([
    'first screenshot after 30 s idle',
    ms((await timed(() => computer.screenshot()))[0]),
  ]);
  const shots = await sample(50, async () => {
    await computer.screenshot();
  });
  rows.push(['screenshot p50', ms(middle(shots))]);
  const act = async (when) => {
    const clicks = await sample(200, () => computer.click(900, 500));
    rows.push([`click p50, ${when}`, ms(middle(clicks))]);
    const commands = await sample(50, () => computer.bash('true'));
    rows.push([`bash true p50, ${when}`, ms(middle(commands))]);
  };
  await act('with four machines running');
  for (const one of computers.slice(1)) await one.delete();
  await act('with one');
  // Each creation takes from the warm pool, which takes seconds to refill on a slow host.
  const warmTimes = [];
  for (let i = 0; i < 5; i++) {
    await sleep(15_000);
    const [time, next] = await timed(() => vc.computers.create('bench', { name: `spare${i}` }));
    warmTimes.push(time);
    await next.delete();
  }
  rows.push(['create to ready, from the warm pool', ms(middle(warmTimes))]);
  const [forking, copy] = await timed(() => computer.fork('copy'));
  rows.push(['fork of a running computer, to ready', ms(forking)]);
  await copy.delete();
  await computer.stop();
  // The service answers after at most one minute.
  const [boot] = await timed(async () => {
    await computer.start();
    while ((await computer.get()).status === 'starting') await sleep(100);
  });
  rows.push(['start by booting, to ready', ms(boot)]);
  rows.push(['booting compared with a template', `${Math.round((boot / clone) * 10) / 10} times`]);
  for (const [what, value] of rows) console.log(`${what.padEnd(40)} ${value}`);
});
