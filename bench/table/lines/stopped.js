import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantiles } from '../../measure.js';
import { buildProgram } from '../../scale/build.js';
import { memory } from '../../service.js';

const COMPUTERS = 1_000;
const ROUNDS = 3;
/** For the work after the first round of the reconciler. */
const SETTLE_MS = 5_000;

/**
 * Memory of the service with a thousand stopped computers above that with none, after it has listed
 * them. On the engine in memory of `bench/scale`, whose own machines are in it; this checkout only.
 */
export async function measureStopped() {
  const { program, remove } = await buildProgram();
  try {
    const [none, many] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      none.push(await serve(program, 0));
      many.push(await serve(program, COMPUTERS));
    }
    const each = quantiles(many).p50 - quantiles(none).p50;
    const what = `memory of the service for ${COMPUTERS} stopped computers`;
    return [{ what, values: [each], unit: (mb) => `${mb} MB` }];
  } finally {
    remove();
  }
}

/** Resolves to the program's next message with `property`. */
function message(child, property) {
  return new Promise((resolve, reject) => {
    child.on('message', (found) => property in found && resolve(found[property]));
    child.once('exit', (code) => reject(new Error(`the program ended with ${code}`)));
  });
}

async function serve(program, count) {
  const directory = mkdtempSync(join(tmpdir(), 'vc-bench-stopped-'));
  const state = join(directory, 'state');
  try {
    const seeding = fork(program, ['seed', state, String(count), 'stopped']);
    const seeded = once(seeding, 'exit');
    const key = await message(seeding, 'key');
    await seeded;
    const child = fork(program, ['serve', state]);
    const ended = once(child, 'exit');
    try {
      const reconciled = message(child, 'round');
      reconciled.catch(() => undefined);
      const url = await message(child, 'url');
      await reconciled;
      const listed = await list(url, key);
      if (listed !== count) throw new Error(`${listed} of ${count} stopped computers are listed`);
      await sleep(SETTLE_MS);
      return memory(child.pid, 'VmRSS');
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Reads the stopped computers page by page, and returns how many there are. */
async function list(url, key) {
  const headers = { authorization: `Bearer ${key}` };
  let count = 0;
  for (let cursor; cursor !== null; ) {
    const query = new URLSearchParams({ status: 'stopped', ...(cursor && { cursor }) });
    const answer = await fetch(new URL(`/api/computers?${query}`, url), { headers });
    const { computers, next_cursor } = await answer.json();
    count += computers.length;
    cursor = next_cursor;
  }
  return count;
}
