/**
 * Measures whole commands against those that do the same with less: an empty module, and `docker`
 * with a container of the same Engine. Requires a built `dist`, a running service (the one that
 * `vc whoami` uses), and one of its computers on Docker whose container `docker` can reach:
 *
 *   npm run build && node bench/commands.js demo/desktop [ROUNDS]
 *
 * The commands of a pair take turns, so that other load slows both.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantiles } from './measure.js';

const VC = fileURLToPath(new URL('../bin/vc.js', import.meta.url));
const LARGE_BYTES = 300 * 1024 * 1024;

const [computer, rounds = '11'] = process.argv.slice(2);
if (computer === undefined || !(Number(rounds) > 0)) {
  process.stderr.write('usage: node bench/commands.js PROJECT/COMPUTER [ROUNDS]\n');
  process.exit(2);
}
// Node.js reads extra certificates at start-up, which would distort the measurement.
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
const directory = mkdtempSync(join(tmpdir(), 'vc-commands-'));
const file = (name) => join(directory, name);
const container = `vc-${execFileSync(process.execPath, [VC, 'get', computer, '-q'], { env, encoding: 'utf8' }).trim()}`;

const vc = (...argv) => [process.execPath, VC, ...argv];
const docker = (...argv) => ['docker', ...argv];
const empty = [process.execPath, file('empty.mjs')];

/** `factor` times the other command and `extraMs` milliseconds are the most that ours should take. */
const pairs = [
  { what: '--version', own: vc('--version'), other: empty, factor: 1.5 },
  { what: 'ls', own: vc('ls'), other: empty, factor: 1.5, extraMs: 30 },
  { what: 'ls', own: vc('ls'), other: docker('ps') },
  { what: 'image ls', own: vc('image', 'ls'), other: vc('ls'), factor: 1, extraMs: 50 },
  {
    ...{ what: 'exec true', factor: 1.3 },
    own: vc('exec', computer, '--', 'true'),
    other: docker('exec', container, 'true'),
  },
  {
    ...{ what: 'cp of 1 kB to it', factor: 2 },
    own: vc('cp', '-q', file('small'), `${computer}:/home/user/`),
    other: docker('cp', '-q', file('small'), `${container}:/home/user/`),
  },
  {
    ...{ what: 'cp of 1 kB from it', factor: 2 },
    own: vc('cp', '-q', `${computer}:/home/user/small`, file('own')),
    other: docker('cp', '-q', `${container}:/home/user/small`, file('other')),
  },
  {
    ...{ what: 'cp of 300 MB to it', factor: 2, most: 3 },
    own: vc('cp', '-q', file('large'), `${computer}:/home/user/`),
    other: docker('cp', '-q', file('large'), `${container}:/home/user/`),
  },
  {
    ...{ what: 'cp of 300 MB from it', factor: 2, most: 3 },
    own: vc('cp', '-q', `${computer}:/home/user/large`, file('own')),
    other: docker('cp', '-q', `${container}:/home/user/large`, file('other')),
  },
];

function timed([program, ...argv]) {
  const begun = performance.now();
  const { status, error, stderr } = spawnSync(program, argv, { env, encoding: 'utf8' });
  if (status !== 0) throw error ?? new Error(`${argv.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - begun;
}

function measure({ what, own, other, factor, extraMs = 0, most = Number.POSITIVE_INFINITY }) {
  const times = { own: [], other: [] };
  timed(own);
  timed(other);
  for (let round = 0; round < Math.min(Number(rounds), most); round++) {
    times.own.push(timed(own));
    times.other.push(timed(other));
  }
  const [ours, theirs] = [quantiles(times.own).p50, quantiles(times.other).p50];
  const limit = factor === undefined ? undefined : factor * theirs + extraMs;
  return {
    command: `vc ${what}`,
    'p50, ms': Math.round(ours),
    against:
      other === empty ? 'an empty module' : other.slice(other[0] === 'docker' ? 0 : 2, 3).join(' '),
    'its p50, ms': Math.round(theirs),
    ratio: (ours / theirs).toFixed(2),
    ...(limit !== undefined && { 'at most, ms': Math.round(limit), ok: ours <= limit }),
  };
}

try {
  writeFileSync(file('empty.mjs'), '');
  writeFileSync(file('small'), 'x'.repeat(1024));
  writeFileSync(file('large'), Buffer.alloc(LARGE_BYTES, 'data of a large file\n'));
  console.table(pairs.map(measure));
} finally {
  rmSync(directory, { recursive: true });
  spawnSync('docker', ['exec', container, 'rm', '-f', '/home/user/small', '/home/user/large']);
}
