/**
 * Creates as many desktops as asked for, or as the host takes, leaves them idle, and measures what they
 * cost and how they answer: each a screenshot, a click and a command. Prints the first refusal. Run as
 * root, with a built `dist`; Docker gets an Engine of its own, QEMU the images of a state directory:
 *
 *   npm run build && node bench/density.js [COMPUTERS] [--engine docker|qemu] [--seed STATE]
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { VirtualComputers } from '../clients/typescript/dist/index.mjs';
import { memory, startService } from './service.js';
import { startEngine } from './table/engine.js';
import { buildImage } from './table/image.js';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string', default: 'docker' },
    seed: { type: 'string', default: join(homedir(), '.local', 'state', 'vc') },
  },
});
const wanted = Number(positionals[0] ?? 150);
/** Computers that are created at the same time. */
const AT_ONCE = 3;
const SETTLE_MS = 30_000;
const IDLE_MS = 30_000;

const available = () =>
  Number(/MemAvailable:\s+(\d+)/.exec(readFileSync('/proc/meminfo'))[1]) / 1024;

/** Ticks of all processors: used, and in all. */
function ticks() {
  const fields = readFileSync('/proc/stat', 'utf8').split('\n')[0].trim().split(/\s+/).slice(1, 9);
  const all = fields.reduce((sum, field) => sum + Number(field), 0);
  return { all, used: all - Number(fields[3]) - Number(fields[4]) };
}

async function openService() {
  const flags = [
    '--engine',
    options.engine,
    '--max-running',
    String(wanted),
    '--log-level',
    'warn',
  ];
  if (options.engine === 'qemu') {
    const service = await startService(flags, (state) => {
      mkdirSync(join(state, 'qemu'), { recursive: true, mode: 0o700 });
      for (const name of ['images', 'templates']) {
        execFileSync('cp', ['-al', join(options.seed, 'qemu', name), join(state, 'qemu')]);
      }
    });
    return { service, close: service.close };
  }
  const engine = await startEngine('bench-docker');
  const env = { DOCKER_HOST: engine.host };
  const vc = new URL('../bin/vc.js', import.meta.url).pathname;
  await buildImage(vc, env);
  const service = await startService(flags, undefined, vc, env);
  const close = async () => {
    await service.close();
    await engine.stop();
  };
  return { service, close };
}

/** Creates computers until there are enough or one is refused. */
async function createAll(vc) {
  const made = [];
  let refusal;
  let next = 0;
  const one = async () => {
    while (next < wanted && refusal === undefined) {
      try {
        made.push(await vc.computers.create('bench', { name: `computer-${next++}` }));
        if (made.length % 10 === 0) process.stderr.write(`${made.length} computers\n`);
      } catch (error) {
        refusal ??= `${error.code}: ${error.message} ${error.remedy ?? ''}`;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return { made, refusal };
}

async function times(computers, work) {
  const found = [];
  for (const computer of computers) {
    const startedAt = performance.now();
    await work(computer);
    found.push(performance.now() - startedAt);
  }
  const sorted = found.sort((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return `p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms`;
}

const { service, close } = await openService();
const vc = new VirtualComputers({ baseUrl: service.url, apiKey: service.apiKey });
const print = (what, value) => console.log(`${what.padEnd(32)}${value}`);
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(0)} s`;
try {
  await vc.projects.create('bench');
  const [free, rss] = [available(), memory(service.pid, 'VmRSS')];
  const startedAt = performance.now();
  const { made, refusal } = await createAll(vc);
  print('computers', `${made.length} in ${seconds(startedAt)}, ${AT_ONCE} at a time`);
  if (refusal !== undefined) print('first refusal', refusal);
  await sleep(SETTLE_MS);
  const each = (bytes) => `${(bytes / made.length).toFixed(1)} MB`;
  print('memory of the host, each', each(free - available()));
  print('memory of the service, each', each(memory(service.pid, 'VmRSS') - rss));
  const before = ticks();
  await sleep(IDLE_MS);
  const after = ticks();
  const share = (after.used - before.used) / (after.all - before.all);
  print('idle, of all processors', `${(share * 100).toFixed(1)} %`);
  const first = await times(made, (computer) => computer.screenshot());
  print('first screenshot', first);
  print('screenshot', await times(made, (computer) => computer.screenshot()));
  print('click', await times(made, (computer) => computer.click(600, 400)));
  print('command', await times(made, (computer) => computer.bash('true')));
  const deleting = performance.now();
  await vc.projects.delete('bench', { timeoutMs: 600_000 });
  print('deleted', seconds(deleting));
} finally {
  await vc.close();
  await close();
}
