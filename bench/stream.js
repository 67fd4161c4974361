/**
 * Measures the cost of streaming a screen and its latency at an RTMP server on this machine.
 * Requires a Docker Engine with the Linux image, ffmpeg and a built `dist`:
 *
 *   npm run build && node bench/stream.js
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantiles } from './measure.js';
import { withService } from './service.js';

const SECONDS = 10;
const RUNS = 3;
const CHANGES = 40;

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Starts an RTMP server for one stream. `output`: ffmpeg's output arguments. */
async function ingest(output) {
  const url = `rtmp://127.0.0.1:${await freePort()}/live/bench`;
  const low = ['-fflags', 'nobuffer', '-flags', 'low_delay', '-probesize', '4096'];
  const input = ['-analyzeduration', '0', '-threads', '1', '-listen', '1', '-i', url];
  const child = spawn('ffmpeg', ['-nostdin', '-loglevel', 'error', ...low, ...input, ...output], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await sleep(400);
  return { url, child, ended: new Promise((resolve) => child.once('exit', resolve)) };
}

/** Seconds of processor time that a process has used. */
function used(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function cost({ computer, service }, what, fps) {
  const { url, child, ended } = await ingest(['-c', 'copy', '-f', 'null', '-']);
  const { pid } = await computer.startStream({ url, fps });
  await sleep(3000);
  const shares = [];
  for (let i = 0; i < RUNS; i++) {
    const before = [used(service), used(pid)];
    await sleep(SECONDS * 1000);
    shares.push([used(service), used(pid)].map((now, at) => ((now - before[at]) / SECONDS) * 100));
  }
  await computer.stopStream();
  child.kill('SIGKILL');
  await ended;
  const percent = (values) => `${quantiles(values).p50.toFixed(0)} %`;
  return {
    what: `${what}, ${fps} fps`,
    service: percent(shares.map(([own]) => own)),
    ffmpeg: percent(shares.map(([, encoder]) => encoder)),
    'total, of one core': percent(shares.map(([own, encoder]) => own + encoder)),
    runs: `${RUNS} of ${SECONDS} s`,
  };
}

async function latency(computer, fps) {
  const script = `while IFS= read -rsn1 key; do case $key in w) printf '\\e[48;2;255;255;255m\\e[2J';; b) printf '\\e[48;2;0;0;0m\\e[2J';; esac; done`;
  await computer.bash(`cat > /tmp/flip.sh <<'X'\n${script}\nX`);
  await computer.bash(
    'xterm -geometry 60x20+200+150 -b 0 +sb -T flip -e bash /tmp/flip.sh >/dev/null 2>&1 &',
  );
  await sleep(1500);
  const size = 16;
  const crop = ['-an', '-fps_mode', 'passthrough', '-vf', `crop=${size}:${size}:400:350`];
  const { url, child, ended } = await ingest([
    ...crop,
    ...['-f', 'rawvideo', '-pix_fmt', 'gray', '-flush_packets', '1', '-'],
  ]);
  let waiting;
  child.stdout.on('data', (chunk) => {
    const light = (chunk.at(-1) ?? 0) > 127;
    if (waiting && light === waiting.light) waiting.resolve();
  });
  await computer.startStream({ url, fps });
  await sleep(2500);
  const times = [];
  for (let i = 0; i < CHANGES; i++) {
    const light = i % 2 === 0;
    const seen = new Promise((resolve) => {
      waiting = { light, resolve };
    });
    const startedAt = performance.now();
    await computer.type(light ? 'w' : 'b');
    await seen;
    times.push(performance.now() - startedAt);
    waiting = undefined;
    // Out of phase with the frames.
    await sleep(200 + Math.random() * 100);
  }
  await computer.stopStream();
  child.kill('SIGKILL');
  await ended;
  const { p50, p95 } = quantiles(times);
  const ms = (value) => `${value.toFixed(0)} ms`;
  return { what: `key to decoded frame, ${fps} fps`, p50: ms(p50), p95: ms(p95), runs: CHANGES };
}

await withService({ flags: ['--allow-private-rtmp'] }, async ({ vc, pid: service }) => {
  const computer = await vc.computers.create('bench', { name: 'stream' });
  await sleep(2000);
  console.log(`${cpus().length} cores; the screen is 1280x800`);
  const both = { computer, service };
  const costs = [];
  for (const fps of [15, 30, 60]) costs.push(await cost(both, 'idle desktop', fps));
  await computer.bash(
    "xterm -geometry 120x40+100+50 -T busy -e 'while :; do date +%N%N%N%N%N; sleep 0.005; done' >/dev/null 2>&1 &",
  );
  costs.push(await cost(both, 'terminal printing text', 30));
  await computer.bash('pkill -x xterm');
  console.table(costs);
  console.table([await latency(computer, 30), await latency(computer, 60)]);
});
