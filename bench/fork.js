/**
 * Measures forks of a running virtual machine with 2 GB: their phases, how long the source's guest is
 * paused, and the time to the copy's first screenshot and command. Seen from outside: the phases by
 * the files in the machines' directories, the pause by the largest gap between lines that the guest
 * prints every few milliseconds. STATE_DIRECTORY is as in machines.js.
 *
 *   npm run build && node bench/fork.js [STATE_DIRECTORY] [FORKS]
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantiles } from './measure.js';
import { withService } from './service.js';

const seed = process.argv[2] ?? join(homedir(), '.local', 'state', 'vc');
const forks = Number(process.argv[3] ?? 5);
const flags = ['--engine', 'qemu', '--max-running', '4'];
const POLL_MS = 2;
const IDLE_MS = 15_000;
const BETWEEN_MS = 5_000;

let machines;
function prepare(state) {
  mkdirSync(join(state, 'qemu'), { recursive: true, mode: 0o700 });
  for (const name of ['images', 'templates']) {
    execFileSync('cp', ['-al', join(seed, 'qemu', name), join(state, 'qemu')]);
  }
  machines = join(state, 'qemu', 'machines');
}

const has = (id, name) => existsSync(join(machines, id, name));
const isSpawned = (id) => {
  try {
    return /^pid /m.test(readFileSync(join(machines, id, 'process'), 'utf8'));
  } catch {
    return false;
  }
};

/** The steps of a fork in their order, and when each is reached. */
const STEPS = [
  ['QEMU begins to save', (from) => has(from, 'migration.sock')],
  ['memory and devices saved', (from, to) => has(to, 'state') && !has(from, 'migration.sock')],
  ['the copy exists', (_, to) => has(to, 'machine.json')],
  ['QEMU executed', (_, to) => isSpawned(to)],
  ['guest configured', (_, to) => !has(to, 'state') && has(to, 'machine.json')],
];

/** Follows a fork until `isDone`, and returns the milliseconds from `startedAt` to each step. */
async function follow(from, to, startedAt, isDone) {
  const reached = {};
  for (const [name, isReached] of STEPS) {
    while (!isReached(from, to) && !isDone()) await sleep(POLL_MS);
    reached[name] = performance.now() - startedAt;
  }
  return reached;
}

/** Prints lines in the guest until the returned function is called, which tells the largest gap. */
function watchGaps(computer) {
  const end = new AbortController();
  let last = performance.now();
  let largest = 0;
  const program = 'import time\nwhile True:\n print(flush=True)\n time.sleep(0.01)';
  const ended = computer.run(['python3', '-c', program], {
    signal: end.signal,
    onStdout: () => {
      const now = performance.now();
      largest = Math.max(largest, now - last);
      last = now;
    },
  });
  ended.catch(() => undefined);
  return {
    reset: () => {
      last = performance.now();
      largest = 0;
    },
    gap: () => Math.max(largest, performance.now() - last),
    close: () => end.abort(),
  };
}

function print(what, samples) {
  const { p50, min } = quantiles(samples);
  const most = Math.max(...samples);
  const figures = [p50, min, most].map((value) => `${Math.round(value)} ms`);
  console.log(`${what.padEnd(34)} median ${figures[0]}, ${figures[1]} to ${figures[2]}`);
}

await withService({ flags, prepare }, async ({ vc }) => {
  const source = await vc.computers.create('bench', { name: 'source' });
  await sleep(IDLE_MS);
  const watch = watchGaps(source);
  await sleep(BETWEEN_MS);
  const results = [];
  for (let i = 0; i < forks; i++) {
    watch.reset();
    await sleep(1_000);
    const result = { 'largest gap before': watch.gap() };
    watch.reset();
    const startedAt = performance.now();
    let isDone = false;
    const copy = await source.fork(`copy${i}`, { wait: false });
    const following = follow(source.id, copy.id, startedAt, () => isDone);
    const saved = async () => {
      while (!has(copy.id, 'machine.json') && !isDone) await sleep(POLL_MS);
      // The lines that the guest has printed since are still on their way.
      await sleep(100);
      return watch.gap();
    };
    const gap = saved();
    for (let status = 'starting'; status === 'starting'; await sleep(5)) {
      ({ status } = await copy.get());
    }
    isDone = true;
    Object.assign(result, await following, { ready: performance.now() - startedAt });
    await copy.screenshot();
    result['first screenshot'] = performance.now() - startedAt;
    await copy.bash('true', { check: true });
    result['first command'] = performance.now() - startedAt;
    result['largest gap in the source'] = await gap;
    results.push(result);
    await copy.delete();
    await sleep(BETWEEN_MS);
  }
  watch.close();
  console.log(`${forks} forks, load ${loadavg()[0].toFixed(1)}; from the request:`);
  for (const name of Object.keys(results[0])) {
    print(
      name,
      results.map((result) => result[name]),
    );
  }
});
