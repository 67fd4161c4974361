/**
 * Creates as many desktops as asked for, or as the host takes, leaves them idle, and measures what they
 * cost and how they answer: each a screenshot, a click and a command. Prints what is refused first,
 * and how. Run as root, with a built `dist`; Docker gets an Engine of its own, QEMU the images and
 * templates of a state directory:
 *
 *   npm run build && node bench/density.js [COMPUTERS] [--engine docker|qemu] [--seed STATE]
 */
import { homedir, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { VirtualComputers } from '../clients/typescript/dist/index.mjs';
import { quantiles } from './measure.js';
import { availableMemory, held, hostTicks, memory } from './service.js';
import { openOwnService } from './table/own-service.js';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string', default: 'docker' },
    seed: { type: 'string', default: join(homedir(), '.local', 'state', 'vc') },
  },
});
const wanted = Number(positionals[0] ?? (options.engine === 'qemu' ? 100 : 150));
/** Computers that are created at the same time. */
const AT_ONCE = 3;
const SETTLE_MS = 30_000;
const IDLE_MS = 30_000;
/** A desktop that starts for longer counts as refused. */
const START_MS = 180_000;
const REQUEST_MS = 60_000;

const print = (what, value) => console.log(`${what.padEnd(34)}${value}`);
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(0)} s`;
const describe = ({ code, message, remedy }) => [code, message, remedy].filter(Boolean).join(': ');

/** What can run out, to see what was short at the first refusal. */
function resources(pid) {
  const { rss, descriptors, children } = held(pid);
  return (
    `${Math.round(availableMemory())} MB available, load average ${loadavg()[0].toFixed(1)}; ` +
    `service: ${rss} MB, ${descriptors} descriptors, ${children} child processes`
  );
}

/** Creates computers until there are enough or one is refused. */
async function createAll(vc, pid) {
  const made = [];
  let refusal;
  let next = 0;
  const startedAt = performance.now();
  const one = async () => {
    while (next < wanted && refusal === undefined) {
      const name = `computer-${next++}`;
      try {
        made.push(await vc.computers.create('bench', { name }, { timeoutMs: START_MS }));
        if (made.length % 10 !== 0) continue;
        console.error(`${made.length} after ${seconds(startedAt)}: ${resources(pid)}`);
      } catch (error) {
        refusal ??= `${name}: ${describe(error)}; ${resources(pid)}`;
        // One that was created and does not start is none of those that are measured.
        await vc
          .computer({ project: 'bench', name })
          .delete()
          .catch(() => undefined);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return { made, refusal };
}

/** One request to each, one after the other. */
async function times(computers, work) {
  const found = [];
  const failures = [];
  for (const computer of computers) {
    const startedAt = performance.now();
    try {
      await work(computer);
      found.push(performance.now() - startedAt);
    } catch (error) {
      failures.push(error);
    }
  }
  const failed = failures.length > 0 ? `${failures.length} failed: ${describe(failures[0])}` : '';
  if (found.length === 0) return failed;
  const { p50, p95 } = quantiles(found);
  const highest = Math.max(...found);
  const ms = [`p50 ${p50.toFixed(1)}`, `p95 ${p95.toFixed(1)}`, `highest ${highest.toFixed(1)} ms`];
  return `${ms.join(', ')} ${failed}`;
}

async function measureIdle(made, pid, before) {
  await sleep(SETTLE_MS);
  const each = (mb) => `${(mb / made.length).toFixed(1)} MB`;
  print('memory of the host, each', each(before.available - availableMemory()));
  print('memory of the service, each', each(memory(pid, 'VmRSS') - before.rss));
  const from = hostTicks();
  await sleep(IDLE_MS);
  const to = hostTicks();
  const share = (to.used - from.used) / (to.all - from.all);
  print('processors in use while idle', `${(share * 100).toFixed(1)} %`);
}

async function measureUse(made) {
  const limit = { timeoutMs: REQUEST_MS };
  const screenshot = (computer) => computer.screenshot(limit);
  print('first screenshot', await times(made, screenshot));
  print('screenshot', await times(made, screenshot));
  const click = (computer) => computer.click(600, 400, limit);
  print('first click', await times(made, click));
  print('click', await times(made, click));
  const command = (computer) => computer.bash('true', limit);
  print('first command', await times(made, command));
  print('command', await times(made, command));
}

const flags = ['--max-running', String(wanted)];
const { service, close } = await openOwnService(options.engine, options.seed, flags);
const vc = new VirtualComputers({ baseUrl: service.url, apiKey: service.apiKey });
try {
  await vc.projects.create('bench');
  const before = { available: availableMemory(), rss: memory(service.pid, 'VmRSS') };
  const startedAt = performance.now();
  const { made, refusal } = await createAll(vc, service.pid);
  print('computers', `${made.length} in ${seconds(startedAt)}, ${AT_ONCE} at a time`);
  print('first refusal', refusal ?? 'none');
  if (made.length > 0) {
    await measureIdle(made, service.pid, before);
    await measureUse(made);
  }
  print('afterwards', resources(service.pid));
  const deleting = performance.now();
  await vc.projects.delete('bench', { timeoutMs: 900_000 });
  print('deleted', seconds(deleting));
} finally {
  await vc.close();
  await close();
}
