/**
 * Compares this checkout with another one, both built, on the same Docker Engine. Each serves one
 * computer; requests alternate between them, so the load of the host affects both equally. The
 * processor time is that of the service for one request.
 *
 *   node bench/compare.js ../other-checkout [ROUNDS] [REQUEST…]
 */
import { resolve } from 'node:path';
import { Client } from 'undici';
import { quantiles } from './measure.js';
import { processorTime, startService } from './service.js';

const [other, rounds = '300', ...only] = process.argv.slice(2);
if (other === undefined) {
  throw new Error('usage: node bench/compare.js OTHER_CHECKOUT [ROUNDS] [REQUEST…]');
}

const BLINK = 'while :; do printf "#\\b"; sleep 0.02; printf " \\b"; sleep 0.02; done';
const PRINT = 'while :; do date +%N; sleep 0.005; done';
/** What runs in the computer during some of the requests. */
const PROGRAMS = {
  'screenshot-blinking-caret': `xterm -geometry 40x10+100+100 -e '${BLINK}'`,
  'screenshot-printing-small': `xterm -geometry 40x10+100+100 -e '${PRINT}'`,
  'screenshot-printing-large': "xterm -geometry 205x58+0+0 -e 'base64 -w 200 /dev/urandom'",
};

/** A service with one running computer, and the requests that are measured. */
async function open(vc) {
  const service = await startService(['--max-running', '4'], undefined, vc);
  const client = new Client(new URL(service.url).origin);
  async function call(method, path, body, accept = 'application/json') {
    const answer = await client.request({
      method,
      path: `/api${path}`,
      headers: {
        authorization: `Bearer ${service.apiKey}`,
        accept,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      body: body ? JSON.stringify(body) : undefined,
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${bytes}`);
    return bytes;
  }
  await call('POST', '/projects', { name: 'bench' });
  const { id } = JSON.parse(await call('POST', '/projects/bench/computers', { name: 'one' }));
  const C = `/computers/${id}`;
  const screenshot = () => call('GET', `${C}/screenshot`, undefined, 'image/png');
  const bash = (command) => call('POST', `${C}/bash`, { command });
  return {
    pid: service.pid,
    begin: async (name) => {
      const command = PROGRAMS[name];
      if (command !== undefined) await bash(`${command} >/dev/null 2>&1 & sleep 2`);
    },
    end: () => bash('pkill -x xterm; true'),
    requests: {
      click: (i) => call('POST', `${C}/click`, { x: 600 + (i % 50), y: 400 }),
      get: () => call('GET', C),
      health: () => call('GET', '/health'),
      screenshot,
      ...Object.fromEntries(Object.keys(PROGRAMS).map((name) => [name, screenshot])),
      bash: () => bash('true'),
    },
    close: async () => {
      await call('DELETE', C);
      await client.close();
      await service.close();
    },
  };
}

const theirs = await open(resolve(other, 'bin/vc.js'));
const ours = await open();
const report = [];
for (const name of only.length > 0 ? only : Object.keys(ours.requests)) {
  for (const { begin } of [theirs, ours]) await begin(name);
  const used = { theirs: 0, ours: 0 };
  const bytes = { theirs: [], ours: [] };
  const times = { theirs: [], ours: [] };
  for (let i = -20; i < Number(rounds); i++) {
    // Alternate the order, so that neither is always the second.
    const sides = i % 2 === 0 ? { theirs, ours } : { ours, theirs };
    for (const [side, { requests, pid }] of Object.entries(sides)) {
      const before = processorTime(pid);
      const startedAt = performance.now();
      const { length } = await requests[name](i);
      if (i < 0) continue;
      times[side].push(performance.now() - startedAt);
      used[side] += processorTime(pid) - before;
      bytes[side].push(length);
    }
  }
  for (const { end } of [theirs, ours]) await end();
  const [a, b] = [quantiles(times.theirs), quantiles(times.ours)];
  report.push({
    what: name,
    'other p50': `${a.p50.toFixed(2)} ms`,
    'this p50': `${b.p50.toFixed(2)} ms`,
    ratio: (b.p50 / a.p50).toFixed(2),
    'other p95': `${a.p95.toFixed(2)} ms`,
    'this p95': `${b.p95.toFixed(2)} ms`,
    'other CPU': `${((used.theirs / rounds) * 1000).toFixed(2)} ms`,
    'this CPU': `${((used.ours / rounds) * 1000).toFixed(2)} ms`,
    'other bytes': quantiles(bytes.theirs).p50,
    'this bytes': quantiles(bytes.ours).p50,
  });
}
console.table(report);
await ours.close();
await theirs.close();
