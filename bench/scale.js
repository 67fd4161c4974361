/**
 * Measures a service with 10,000 running computers: the real fleet and server, with an engine in
 * memory that answers like a cluster. Prints each figure beside its limit, and fails if one is over:
 *
 *   npm run build && node bench/scale.js [ROUNDS] [COMPUTERS]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { quantiles } from './measure.js';
import { buildProgram } from './scale/build.js';
import { memory } from './service.js';

const repeats = Number(process.argv[2] ?? 3);
const computers = Number(process.argv[3] ?? 10_000);
/** Created at once. */
const NEW = 1_000;
const LISTS = 500;

const { program, remove } = await buildProgram();
const spawn = (...args) => fork(program, args.map(String), { stdio: 'inherit' });

/** Resolves to the program's first message with `property`. */
function message(child, property) {
  return new Promise((resolve, reject) => {
    child.on('message', (found) => property in found && resolve(found));
    child.once('exit', (code) => reject(new Error(`the program ended with ${code}`)));
  });
}

async function measure(state) {
  const say = (what) => process.stderr.write(`${what} …\n`);
  say('writing the rows');
  const seeding = spawn('seed', state, computers);
  const { key } = await message(seeding, 'key');
  await once(seeding, 'exit');
  say('starting the service');
  const startedAt = performance.now();
  const child = spawn('serve', state);
  const reconciling = [];
  child.on('message', ({ round }) => round && reconciling.push(round));
  // Processor time is that of the process: beside the creations, it would be mostly theirs.
  let isCreating = false;
  const calm = [];
  child.on('message', ({ round }) => round && !isCreating && calm.push(round));
  const { url, processorMs: startProcessor } = await message(child, 'url');
  const start = performance.now() - startedAt;
  const limits = { headersTimeout: 0, connect: { timeout: 120_000 } };
  const pool = new Pool(new URL(url).origin, { connections: NEW, ...limits });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const send = async (method, path, body) => {
    const sent = { method, path: `/api${path}`, headers, body: body && JSON.stringify(body) };
    const { statusCode, body: answer } = await pool.request(sent);
    return { status: statusCode, json: await answer.json() };
  };
  try {
    while (reconciling.length === 0) await sleep(100);
    say('listing');
    const lists = await listTimes(send);
    const rssAfterLists = memory(child.pid, 'VmRSS');
    say('creating');
    isCreating = true;
    const created = await createAtOnce(send);
    say('waiting for another round');
    // The first may have begun before.
    await rounds(reconciling, 1);
    isCreating = false;
    await rounds(reconciling, 1);
    const present = await allComputers(send);
    const names = present.filter(({ name, status }) => /^new-/.test(name) && status === 'running');
    return {
      start,
      startProcessor,
      list: quantile(lists, 0.99),
      listMedian: quantiles(lists).p50,
      round: Math.max(...calm.map(({ processorMs }) => processorMs)),
      rss: rssAfterLists,
      peak: memory(child.pid, 'VmHWM'),
      refused: created.refused,
      creation: created.seconds,
      lost: NEW - new Set(names.map(({ name }) => name)).size,
      unexpected: present.length - computers - NEW,
    };
  } finally {
    await pool.close();
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

/** Waits until the reconciler has made so many more rounds. */
async function rounds(made, more) {
  for (const done = made.length; made.length < done + more; ) await sleep(500);
}

const quantile = (values, part) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];

/** Reads all pages of the list, again and again; milliseconds of each request. */
async function listTimes(send) {
  const times = [];
  for (let cursor = null; times.length < LISTS; ) {
    const query = cursor === null ? '' : `?cursor=${cursor}`;
    const startedAt = performance.now();
    const { json } = await send('GET', `/computers${query}`);
    times.push(performance.now() - startedAt);
    cursor = json.next_cursor;
  }
  return times;
}

async function allComputers(send) {
  const found = [];
  for (let query = '?limit=1000'; query !== undefined; ) {
    const { json } = await send('GET', `/computers${query}`);
    found.push(...json.computers);
    query = json.next_cursor === null ? undefined : `?limit=1000&cursor=${json.next_cursor}`;
  }
  return found;
}

/** Creates computers at once, each until it is ready; a request that is refused is sent again. */
async function createAtOnce(send) {
  const startedAt = performance.now();
  let refused = 0;
  const create = async (index) => {
    for (;;) {
      const { status, json } = await send('POST', '/projects/project-0/computers', {
        name: `new-${index}`,
      });
      if (status === 200) return;
      if (status !== 429) throw new Error(`creating: ${status} ${JSON.stringify(json)}`);
      refused += 1;
      await sleep(1000);
    }
  };
  await Promise.all(Array.from({ length: NEW }, (_, index) => create(index)));
  return { refused, seconds: (performance.now() - startedAt) / 1000 };
}

/** What is measured: its limit, and how it is printed. */
const FIGURES = [
  ['start', 'start of the service', 5_000, 'ms'],
  ['startProcessor', '… its processor time', undefined, 'ms'],
  ['list', 'page of 100 computers, p99', 50, 'ms'],
  ['listMedian', '… p50', undefined, 'ms'],
  ['round', 'reconcile round, processor time, slowest', 1_000, 'ms'],
  ['rss', 'memory (RSS), after the lists', 500, 'MB'],
  ['peak', '… highest, with the creations', 500, 'MB'],
  ['creation', `${NEW} creations at once, until all are ready`, undefined, 's'],
  ['refused', '… refused with 429 and sent again', undefined, ''],
  ['lost', '… lost', 0, ''],
  ['unexpected', '… computers that nobody asked for', 0, ''],
];

try {
  const results = [];
  for (let round = 0; round < repeats; round++) {
    const directory = mkdtempSync(join(tmpdir(), 'vc-scale-'));
    try {
      results.push(await measure(join(directory, 'state')));
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
  const lines = FIGURES.map(([name, what, limit, unit]) => {
    const value = quantile(
      results.map((result) => result[name]),
      0.5,
    );
    if (limit !== undefined && value > limit) process.exitCode = 1;
    const show = (number) => `${number.toFixed(Number.isInteger(number) ? 0 : 1)} ${unit}`.trim();
    return { what, median: show(value), limit: limit === undefined ? '' : show(limit) };
  });
  console.table(lines);
} finally {
  remove();
}
