/**
 * Uses a service continuously, as many agents would, and prints its resources once a minute: a
 * leak is a column that rises. Computers are created, used, copied (QEMU) or restarted (Docker), and
 * removed, two at a time. Run as root, with a built `dist`; Docker gets an Engine of its own, QEMU the
 * images and templates of a state directory:
 *
 *   npm run build && node bench/soak.js [--engine docker|qemu] [--minutes 30] [--seed STATE]
 */
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { VirtualComputers } from '../clients/typescript/dist/index.mjs';
import { heapUsed, held } from './service.js';
import { openOwnService } from './table/own-service.js';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'docker' },
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: join(homedir(), '.local', 'state', 'vc') },
  },
});
const isQemu = values.engine === 'qemu';
const minutes = Number(values.minutes);
const WORKERS = 2;

const flags = ['--max-running', '6', '--spares', '1'];
const { service, close } = await openOwnService(values.engine, values.seed, flags);
const vc = new VirtualComputers({ baseUrl: service.url, apiKey: service.apiKey });
const machinesDirectory = join(service.state, isQemu ? 'qemu/machines' : 'machines');

const counts = { lifecycles: 0, actions: 0, copies: 0, failures: 0 };
const counted = async (work) => {
  const result = await work;
  counts.actions += 1;
  return result;
};

/** The actions of an agent on a computer. */
async function use(computer) {
  for (let i = 0; i < 5; i++) {
    await counted(computer.click(300 + i * 20, 300));
    await counted(computer.type(`step ${i}: Grüße 世界 `));
    await counted(computer.key('Escape'));
    await counted(computer.screenshot({ format: ['png', 'jpeg', 'webp'][i % 3] }));
    const { exit_code } = await counted(computer.bash('head -c 2000000 /dev/zero | tr "\\0" x'));
    if (exit_code !== 0) throw new Error(`a command ended with ${exit_code}`);
    await counted(computer.python('print(sum(range(1000)))'));
    await counted(computer.files.write(`file-${i}`, Buffer.alloc(300_000, i)));
    await counted(computer.files.read(`file-${i}`));
  }
  await counted(computer.bash('sleep 1000', { background: true }));
  const child = await counted(computer.process({ argv: ['cat'] }));
  const input = child.stdin.getWriter();
  await input.write('hello');
  await input.close();
  for await (const _ of child.stdout);
  await child.exited;
  const left = new AbortController();
  const recording = await counted(computer.record({ fps: 15, signal: left.signal }));
  const reader = recording.getReader();
  await reader.read();
  reader.closed.catch(() => undefined);
  left.abort();
  await counted(computer.wait({ until: 'stable' })).catch(() => undefined);
}

async function lifecycle(name) {
  const computer = await vc.computers.create('soak', { name });
  try {
    await use(computer);
    if (isQemu) {
      const copy = await computer.fork(`${name}-copy`);
      counts.copies += 1;
      await counted(copy.bash('true'));
      await counted(copy.screenshot());
      await copy.delete();
    } else {
      await computer.restart();
      await counted(computer.screenshot());
    }
  } finally {
    await computer.delete();
  }
  counts.lifecycles += 1;
}

async function work(worker, end) {
  for (let i = 0; Date.now() < end; i++) {
    await lifecycle(`worker-${worker}-${i}`).catch((error) => {
      counts.failures += 1;
      console.error(error);
    });
  }
}

const line = (cells) => console.log(`| ${cells.join(' | ')} |`);

async function watch(end) {
  const titles = ['minute', 'RSS MiB', 'heap MiB', 'descriptors', 'children', 'computers'];
  line([...titles, 'lifecycles', 'copies', 'actions', 'failures']);
  line(Array(10).fill('---'));
  for (let minute = 0; Date.now() < end; minute++) {
    // The heap grows between garbage collections, so the minimum of a minute counts.
    const lowest = { rss: Infinity, heap: Infinity, descriptors: Infinity, children: Infinity };
    const next = Date.now() + 60_000;
    for (; Date.now() < next; await sleep(1000)) {
      const now = { ...held(service.pid), heap: await heapUsed(service) };
      for (const name of Object.keys(lowest)) lowest[name] = Math.min(lowest[name], now[name]);
    }
    const { rss, heap, descriptors, children } = lowest;
    const computers = (await vc.projects.get('soak')).computers.length;
    const { lifecycles, copies, actions, failures } = counts;
    line([
      minute + 1,
      rss,
      heap.toFixed(1),
      descriptors,
      children,
      computers,
      lifecycles,
      copies,
      actions,
      failures,
    ]);
  }
}

try {
  await vc.projects.create('soak');
  // Modules loaded on first use are not a leak.
  await lifecycle('warm-up');
  Object.assign(counts, { lifecycles: 0, actions: 0, copies: 0, failures: 0 });
  const before = { ...held(service.pid), heap: await heapUsed(service) };
  console.log(`before: ${JSON.stringify(before)}`);
  const end = Date.now() + minutes * 60_000;
  const workers = Array.from({ length: WORKERS }, (_, i) => work(i, end));
  await Promise.all([watch(end), ...workers]);
  await sleep(30_000);
  const after = { ...held(service.pid), heap: await heapUsed(service) };
  console.log(`after: ${JSON.stringify(after)}`);
  // On Docker also that of the warm pool.
  console.log(`remaining machines: ${JSON.stringify(readdirSync(machinesDirectory))}`);
  if (counts.failures > 0) process.exitCode = 1;
} finally {
  await vc.projects.delete('soak').catch(() => undefined);
  await vc.close();
  await close();
}
