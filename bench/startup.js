/**
 * Measures the start-up time of the CLI, as multiples of an empty module in the same runs. Requires
 * a built `dist` and a running service, the one that `vc whoami` uses:
 *
 *   npm run build && node bench/startup.js
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantiles } from './measure.js';

const VC = fileURLToPath(new URL('../bin/vc.js', import.meta.url));

/** Command lines with their limits, as multiples of an empty module. */
export const STARTS = [
  { name: '--version', argv: ['--version'], most: 1.5 },
  { name: '--help', argv: ['--help'], most: 1.5 },
  { name: 'computer --help', argv: ['computer', '--help'], most: 1.5 },
  { name: 'completion of a command', argv: ['__complete', 'computer', ''], most: 1.5 },
  { name: 'completion of a name', argv: ['__complete', 'computer', 'get', ''], most: 2 },
  { name: 'computer ls --json', argv: ['computer', 'ls', '--json'], most: 3 },
];

/**
 * Runs the empty module and every command line in turn, `runs` times. Returns milliseconds: `cpu` is
 * user and system time, which other load changes little, `wall` is elapsed time. `ratio` is the
 * median of the multiples of the empty module in the same round.
 */
export function measureStartup({ runs, env }) {
  const directory = mkdtempSync(join(tmpdir(), 'vc-startup-'));
  try {
    const empty = join(directory, 'empty.mjs');
    writeFileSync(empty, '');
    const cases = [{ name: 'an empty module', argv: [empty] }].concat(
      STARTS.map((start) => ({ ...start, argv: [VC, ...start.argv] })),
    );
    const times = cases.map(() => ({ cpu: [], wall: [] }));
    for (let run = 0; run < runs; run++) {
      for (const [index, { argv }] of cases.entries()) {
        const { cpu, wall } = timed(argv, env);
        times[index].cpu.push(cpu);
        times[index].wall.push(wall);
      }
    }
    const [base, ...rest] = times;
    const ratio = (own, other) => quantiles(own.map((time, round) => time / other[round])).p50;
    const summary = ({ cpu, wall }) => ({ cpu: quantiles(cpu), wall: quantiles(wall) });
    return {
      empty: summary(base),
      starts: rest.map((time, index) => ({
        ...STARTS[index],
        ...summary(time),
        ratio: { cpu: ratio(time.cpu, base.cpu), wall: ratio(time.wall, base.wall) },
      })),
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Uses the shell's `time`, because Node.js cannot measure the processor time of one child. */
function timed(argv, env) {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$@" >/dev/null 2>"$0"';
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', script, '/dev/null', process.execPath, ...argv],
    { env, encoding: 'utf8' },
  );
  const [wall, user, system] = stderr.trim().split(' ').map(Number);
  if (status !== 0 || !(wall > 0)) throw new Error(`${argv.join(' ')} ended with ${status}`);
  return { cpu: (user + system) * 1000, wall: wall * 1000 };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Node.js reads extra certificates at start-up, which would distort the measurement.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const { empty, starts } = measureStartup({ runs: 21, env });
  const line = (what, { wall, cpu }, ratio, most) => ({
    what,
    'wall, p50': `${wall.p50.toFixed(0)} ms`,
    'processor, p50': `${cpu.p50.toFixed(0)} ms`,
    ...(ratio && { 'wall ratio': ratio.wall.toFixed(2), 'processor ratio': ratio.cpu.toFixed(2) }),
    ...(most && { 'at most': most }),
  });
  console.table([
    line('an empty module', empty),
    ...starts.map(({ name, ratio, most, ...time }) => line(name, time, ratio, most)),
  ]);
}
