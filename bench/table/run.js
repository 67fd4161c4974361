/**
 * Prints each line of the table of docs/performance.md: another checkout and this one in turn, the
 * floor beside them, and the goal. Each side has a Docker Engine of its own and the image of its own
 * recipe. Run as root, with both checkouts built:
 *
 *   npm run bench -- [--before CHECKOUT] [--engine ENGINE] [--seed STATE] [LINES…]
 *
 * `--help` lists the lines. Without --before it measures this checkout only. Lines that fail, or take
 * longer than they may, are named in their place, and the others are measured.
 */
import { homedir, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { LINES } from './lines.js';
import { format, formatFailure } from './report.js';
import { Sides } from './sides.js';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    before: { type: 'string' },
    engine: { type: 'string', default: 'docker' },
    seed: { type: 'string', default: join(homedir(), '.local', 'state', 'vc') },
    help: { type: 'boolean', default: false },
  },
});
const unknown = positionals.find((name) => !(name in LINES));
if (unknown !== undefined) throw new Error(`no lines ${unknown}; use ${Object.keys(LINES)}`);
const ENGINES = ['docker', 'podman', 'qemu'];
if (!ENGINES.includes(options.engine)) throw new Error(`no engine; use ${ENGINES}`);
/** Images may have to be built first. */
const OPENING_MINUTES = 30;
/** For a line that failed, or took too long, to notice that its services are gone. */
const ENDING_MS = 60_000;

/** Rejects when the benchmark receives a signal to stop. */
function interruption() {
  return new Promise((_, reject) => {
    for (const name of ['SIGINT', 'SIGTERM']) {
      process.once(name, () => {
        process.exitCode = 130;
        reject(new Error(name));
      });
    }
  });
}

/** Rejects when `work` takes longer. */
async function within(minutes, what, work) {
  let timer;
  const late = new Promise((_, reject) => {
    const fail = () => reject(new Error(`not ${what} within ${minutes} minutes`));
    timer = setTimeout(fail, minutes * 60_000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function measure({ minutes, open, work }, sides, interrupted) {
  let running;
  const begin = async () => {
    running = open(sides, options);
    const opened = await within(OPENING_MINUTES, 'opened', running);
    running = work(opened);
    return within(minutes, 'measured', running);
  };
  try {
    return await Promise.race([begin(), interrupted]);
  } catch (error) {
    // Ends the requests of a line that still runs, and what it left: the next one opens them anew.
    await sides.close();
    await Promise.race([running?.catch(() => undefined), sleep(ENDING_MS)]);
    throw error;
  } finally {
    await sides.closeLine();
  }
}

async function main() {
  const here = new URL('../..', import.meta.url).pathname;
  const checkouts = [{ name: 'after', checkout: here, data: '' }];
  if (options.before !== undefined) {
    checkouts.unshift({ name: 'before', checkout: options.before, data: '-before' });
  }
  const sides = new Sides(checkouts);
  const interrupted = interruption();
  interrupted.catch(() => undefined);
  const rows = [];
  try {
    for (const name of positionals.length > 0 ? positionals : Object.keys(LINES)) {
      const startedAt = performance.now();
      try {
        rows.push(...(await measure(LINES[name], sides, interrupted)).map(format));
      } catch (error) {
        console.error(error);
        rows.push(formatFailure(name, error));
        if (process.exitCode === 130) break;
        process.exitCode = 1;
      }
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      console.error(`${name}: ${seconds} s, load average ${loadavg()[0].toFixed(1)}`);
    }
  } finally {
    console.table(rows);
    await sides.close();
  }
  // A line that was given up can still have timers.
  process.exit();
}

if (options.help) {
  for (const [name, { what }] of Object.entries(LINES)) console.log(`${name.padEnd(13)}${what}`);
} else {
  await main();
}
