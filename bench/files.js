/**
 * Prints how fast files go to a computer and come back, with what `docker exec` and a pipe take for
 * the same bytes in the same run. Needs a Docker Engine with the Linux image and a built `dist`:
 *
 *   npm run build && node bench/files.js
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { VirtualComputers } from '../dist/client/index.js';
import { quantiles, sample } from './measure.js';

const VC = new URL('../bin/vc.js', import.meta.url).pathname;
const SIZE = 256 * 1024 * 1024;
const RUNS = 5;
const directory = mkdtempSync(join(tmpdir(), 'vc-bench-'));
const env = {
  ...process.env,
  VC_CONFIG_DIR: join(directory, 'config'),
  VC_STATE_DIR: join(directory, 'state'),
};
const service = spawn(process.execPath, [VC, 'serve', '--listen', '127.0.0.1:0'], {
  env,
  stdio: ['ignore', 'ignore', 'pipe'],
});
let log = '';
service.stderr.on('data', (chunk) => {
  log += chunk;
});

async function serviceUrl() {
  for (let i = 0; i < 500; i++) {
    const url = /http:\/\/127\.0\.0\.1:\d+\/api/.exec(log)?.[0];
    if (url) return url;
    if (service.exitCode !== null) break;
    await sleep(20);
  }
  throw new Error(`the service did not start:\n${log}`);
}

const block = randomBytes(1024 * 1024);
function* blocks() {
  for (let sent = 0; sent < SIZE; sent += block.length) yield block;
}
const data = () => Readable.from(blocks(), { objectMode: false });

async function drain(stream) {
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  if (bytes !== SIZE) throw new Error(`${bytes} bytes came instead of ${SIZE}`);
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

async function main() {
  const baseUrl = await serviceUrl();
  await sleep(300);
  const config = JSON.parse(readFileSync(join(env.VC_CONFIG_DIR, 'config.json'), 'utf8'));
  const vc = new VirtualComputers({ baseUrl, apiKey: config.profiles.default.apiKey });
  await vc.projects.create('bench');
  const computer = await vc.computers.create('bench', { name: 'bench' });
  const container = `vc-${computer.address.id}`;
  const memory = () =>
    Math.round(
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) /
        1024,
    );
  const up = await sample(RUNS, () => computer.files.write('bench', data(), { size: SIZE }), 1);
  const down = await sample(
    RUNS,
    async () => drain((await computer.files.open('bench')).stream),
    1,
  );
  const dockerUp = await sample(RUNS, () => docker(container, 'cat >other', data()), 1);
  const dockerDown = await sample(RUNS, () => docker(container, 'cat other'), 1);
  const small = await sample(100, () => computer.files.write('small', 'x'));
  const rate = (times) => Number((SIZE / 1000 / quantiles(times).p50).toFixed(0));
  const row = (what, own, other) => ({
    what,
    'MB/s': rate(own),
    'docker exec cat, MB/s': rate(other),
  });
  console.table([row('upload', up, dockerUp), row('download', down, dockerDown)]);
  console.log(`a file of one byte: ${quantiles(small).p50.toFixed(1)} ms`);
  console.log(`most memory of the service (RSS): ${memory()} MB`);
  await vc.projects.delete('bench');
  await vc.close();
}

main()
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  })
  .finally(() => {
    service.once('exit', () => rmSync(directory, { recursive: true, force: true }));
    service.kill('SIGTERM');
  });
