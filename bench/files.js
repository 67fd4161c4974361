/**
 * Measures file transfers to and from a computer, compared with `docker exec` and a pipe in the same
 * run. Requires a Docker Engine with the Linux image and a built `dist`:
 *
 *   npm run build && node bench/files.js
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { quantiles, sample } from './measure.js';
import { memory, withService } from './service.js';

const SIZE = 256 * 1024 * 1024;
const RUNS = 7;

const block = randomBytes(1024 * 1024);
function* blocks() {
  for (let sent = 0; sent < SIZE; sent += block.length) yield block;
}
const data = () => Readable.from(blocks(), { objectMode: false });

async function drain(stream) {
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  if (bytes !== SIZE) throw new Error(`received ${bytes} bytes instead of ${SIZE}`);
}

async function docker(container, command, input) {
  const child = spawn('docker', ['exec', '-i', container, 'sh', '-c', command], {
    stdio: [input ? 'pipe' : 'ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  if (input) {
    input.pipe(child.stdin);
    child.stdout.resume();
  } else await drain(child.stdout);
  if ((await ended) !== 0) throw new Error(`docker exec ${command} failed`);
}

await withService({ flags: ['--engine', 'docker'] }, async ({ vc, pid }) => {
  const computer = await vc.computers.create('bench', { name: 'bench' });
  const container = `vc-${computer.address.id}`;
  const before = memory(pid, 'VmRSS');
  const up = await sample(RUNS, () => computer.files.write('bench', data(), { size: SIZE }), 1);
  const read = async () => drain((await computer.files.open('bench')).stream);
  const down = await sample(RUNS, read, 1);
  const peak = memory(pid, 'VmHWM');
  const dockerUp = await sample(RUNS, () => docker(container, 'cat >other', data()), 1);
  const dockerDown = await sample(RUNS, () => docker(container, 'cat other'), 1);
  const small = await sample(100, () => computer.files.write('small', 'x'));
  const rate = (times) => Number((SIZE / 1000 / quantiles(times).p50).toFixed(0));
  const row = (what, own, other) => ({
    what,
    runs: RUNS,
    'MB/s': rate(own),
    'docker exec cat, MB/s': rate(other),
  });
  console.table([row('upload', up, dockerUp), row('download', down, dockerDown)]);
  console.log(`a file of one byte: ${quantiles(small).p50.toFixed(1)} ms, ${small.length} runs`);
  console.log(`memory of the service (RSS): ${before} MB before, ${peak} MB at most`);
});
