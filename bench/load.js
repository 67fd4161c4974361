/**
 * Measures the throughput of a service on this machine, its behaviour under overload, and whether
 * memory and file descriptors are released afterwards. Requires wrk (a Debian package), a Docker
 * Engine with the Linux image and a built `dist`:
 *
 *   npm run build && node bench/load.js [SECONDS]
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { VirtualComputers } from '../clients/typescript/dist/index.mjs';
import { heapUsed, held, startService } from './service.js';

const run = promisify(execFile);
const seconds = Number(process.argv[2] ?? 5);
/** Longer than the 10 s that a request waits before it is refused. */
const TOO_MANY_SECONDS = 15;
const directory = mkdtempSync(join(tmpdir(), 'vc-load-'));
const service = await startService(['--log-level', 'warn']);
const vc = new VirtualComputers({ baseUrl: service.url, apiKey: service.apiKey });

/** Runs wrk and parses its output. The script counts statuses per thread. */
async function load({ method, path, body, accept }, connections, lasting = seconds) {
  const script = join(directory, 'request.lua');
  const headers = {
    Authorization: `Bearer ${service.apiKey}`,
    ...(accept && { Accept: accept }),
    ...(body && { 'Content-Type': 'application/json' }),
  };
  writeFileSync(
    script,
    [
      `wrk.method = ${JSON.stringify(method)}`,
      ...Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`),
      ...(body ? [`wrk.body = ${JSON.stringify(JSON.stringify(body))}`] : []),
      'local threads = {}',
      'function setup(thread) table.insert(threads, thread) end',
      'function init() ok, refused, failed = 0, 0, 0 end',
      'function response(status)',
      '  if status == 200 then ok = ok + 1',
      '  elseif status == 429 then refused = refused + 1 else failed = failed + 1 end',
      'end',
      'function done()',
      '  for _, name in ipairs({"ok", "refused", "failed"}) do',
      '    local sum = 0',
      '    for _, thread in ipairs(threads) do sum = sum + thread:get(name) end',
      '    print(name .. "=" .. sum)',
      '  end',
      'end',
    ].join('\n'),
  );
  const words = ['-t1', `-c${connections}`, `-d${lasting}s`, '--timeout', '30s', '--latency'];
  const { stdout } = await run('wrk', [...words, '-s', script, `${service.url}${path}`]);
  const number = (pattern) => Number(pattern.exec(stdout)?.[1] ?? 0);
  const time = (part) => new RegExp(`^ +${part}% +(\\S+)`, 'm').exec(stdout)?.[1] ?? '?';
  return {
    connections,
    'requests/s': Math.round(number(/^Requests\/sec: +(\S+)/m)),
    p50: time(50),
    p99: time(99),
    answered: number(/^ok=(\d+)/m),
    'refused (429)': number(/^refused=(\d+)/m),
    failed: number(/^failed=(\d+)/m),
    MiB: held(service.pid).rss,
  };
}

try {
  await vc.projects.create('load');
  const computer = await vc.computers.create('load', { name: 'desktop' });
  const C = `/computers/${computer.address.id}`;
  const kinds = {
    health: { method: 'GET', path: '/health' },
    'get a computer': { method: 'GET', path: C },
    click: { method: 'POST', path: `${C}/click`, body: { x: 640, y: 400 } },
    'screenshot, PNG': { method: 'GET', path: `${C}/screenshot`, accept: 'image/png' },
    'bash true': { method: 'POST', path: `${C}/bash`, body: { command: 'true' } },
  };
  for (const kind of Object.values(kinds)) await load(kind, 4);
  const state = async () => ({ ...held(service.pid), heap: Math.round(await heapUsed(service)) });
  const before = await state();
  const rows = [];
  for (const [what, kind] of Object.entries(kinds)) {
    for (const connections of [1, 32]) rows.push({ what, ...(await load(kind, connections)) });
  }
  rows.push({
    what: 'screenshot, overload',
    ...(await load(kinds['screenshot, PNG'], 2000, TOO_MANY_SECONDS)),
  });
  rows.push({
    what: 'bash, overload',
    ...(await load(kinds['bash true'], 2000, TOO_MANY_SECONDS)),
  });
  console.table(rows);
  await sleep(20_000);
  console.log(`before: ${JSON.stringify(before)}\nafter: ${JSON.stringify(await state())}`);
} finally {
  await vc.projects.delete('load').catch(() => undefined);
  await vc.close();
  await service.close();
  rmSync(directory, { recursive: true, force: true });
}
