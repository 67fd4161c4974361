/**
 * Compares this checkout with another one, both built, on the same Docker Engine. Each serves one
 * computer; requests alternate between them, so the load of the host affects both equally.
 *
 *   node bench/compare.js ../other-checkout [ROUNDS]
 */
import { resolve } from 'node:path';
import { Client } from 'undici';
import { quantiles } from './measure.js';
import { startService } from './service.js';

const [other, rounds = '300'] = process.argv.slice(2);
if (other === undefined) throw new Error('usage: node bench/compare.js OTHER_CHECKOUT [ROUNDS]');

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
  return {
    requests: {
      click: (i) => call('POST', `${C}/click`, { x: 600 + (i % 50), y: 400 }),
      get: () => call('GET', C),
      health: () => call('GET', '/health'),
      screenshot: () => call('GET', `${C}/screenshot`, undefined, 'image/png'),
      bash: () => call('POST', `${C}/bash`, { command: 'true' }),
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
for (const name of Object.keys(ours.requests)) {
  const times = { theirs: [], ours: [] };
  for (let i = -20; i < Number(rounds); i++) {
    // Alternate the order, so that neither is always the second.
    const sides = i % 2 === 0 ? { theirs, ours } : { ours, theirs };
    for (const [side, { requests }] of Object.entries(sides)) {
      const startedAt = performance.now();
      await requests[name](i);
      if (i >= 0) times[side].push(performance.now() - startedAt);
    }
  }
  const [a, b] = [quantiles(times.theirs), quantiles(times.ours)];
  report.push({
    what: name,
    'other p50': `${a.p50.toFixed(2)} ms`,
    'this p50': `${b.p50.toFixed(2)} ms`,
    ratio: (b.p50 / a.p50).toFixed(2),
    'other p95': `${a.p95.toFixed(2)} ms`,
    'this p95': `${b.p95.toFixed(2)} ms`,
  });
}
console.table(report);
await ours.close();
await theirs.close();
