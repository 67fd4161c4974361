import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Client } from 'undici';
import { quantiles } from '../../measure.js';
import { inTurn, ms } from '../report.js';

const LARGE = 256 * 1024 * 1024;
const SMALL = 1000;
const block = randomBytes(1024 * 1024);
const HOME = '/home/user';

function* blocks() {
  for (let sent = 0; sent < LARGE; sent += block.length) yield block;
}

/** Runs docker with its input from `input`, and reads all it prints. */
async function docker({ host }, words, input) {
  const child = spawn('docker', words, {
    env: { ...process.env, ...host.env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdout.resume();
  child.stdin.end(input);
  if ((await ended) !== 0) throw new Error(`docker ${words.join(' ')} failed`);
}

/** Copies over HTTP, compared with docker on the same container. */
export async function measureFiles(sides) {
  const last = sides.at(-1);
  const clients = new Map(
    sides.map((side) => [side, new Client(new URL(side.service.url).origin)]),
  );
  const url = (side, path) => `/api${side.path}/files?path=${path}`;
  const request = async (side, options) => {
    const { statusCode, body } = await clients.get(side).request({
      ...{ bodyTimeout: 600_000, headersTimeout: 600_000, ...options },
      headers: { authorization: side.authorization, ...options.headers },
    });
    let bytes = 0;
    for await (const chunk of body) bytes += chunk.length;
    if (statusCode !== 200) throw new Error(`${options.method}: ${statusCode}`);
    return bytes;
  };
  const put = (side, path, body, length) =>
    request(side, {
      ...{ method: 'PUT', path: url(side, path), body },
      headers: { 'content-type': 'application/octet-stream', 'content-length': length },
    });
  const get = async (side, path, length) => {
    const bytes = await request(side, { method: 'GET', path: url(side, path) });
    if (bytes !== length) throw new Error(`${bytes} bytes instead of ${length}`);
  };
  const directory = mkdtempSync(join(tmpdir(), 'vc-bench-files-'));
  const large = join(directory, 'large');
  writeFileSync(large, '');
  for (const bytes of blocks()) writeFileSync(large, bytes, { flag: 'a' });
  const small = block.subarray(0, SMALL);
  const inside = `${last.container}:${HOME}`;
  const cat = (path, input) =>
    docker(last, ['exec', '-i', last.container, 'sh', '-c', path], input);
  const kinds = [
    {
      ...{ what: '256 MiB to a computer', rounds: 5, floor: 'docker cp' },
      work: (side) => put(side, 'large', Readable.from(blocks(), { objectMode: false }), LARGE),
      bare: () => docker(last, ['cp', large, `${inside}/other`]),
    },
    {
      ...{ what: '256 MiB from a computer', rounds: 5, floor: 'docker cp' },
      work: (side) => get(side, 'large', LARGE),
      bare: () => docker(last, ['cp', `${inside}/other`, `${directory}/copy`]),
    },
    {
      ...{ what: '1 kB to a computer', rounds: 50, floor: 'docker exec cat' },
      work: (side) => put(side, 'small', small, SMALL),
      bare: () => cat('cat >other-small', small),
    },
    {
      ...{ what: '1 kB from a computer', rounds: 50, floor: 'docker exec cat' },
      work: (side) => get(side, 'small', SMALL),
      bare: () => cat('cat other-small'),
    },
  ];
  const rows = [];
  try {
    for (const { what, rounds, floor, work, bare } of kinds) {
      const times = await inTurn([...sides.map((side) => () => work(side)), bare], rounds, 1);
      const medians = times.map((each) => quantiles(each).p50);
      const least = medians.at(-1);
      const goal = { text: '2 times the floor', most: 2 * least };
      rows.push({ what, values: medians.slice(0, -1), unit: ms, floor, least, goal });
    }
  } finally {
    for (const client of clients.values()) await client.close();
    rmSync(directory, { recursive: true });
  }
  return rows;
}
