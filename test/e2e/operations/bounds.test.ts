// @module-tag thorough
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { WebSocket } from 'ws';
import { StreamId } from '../../../src/contract/sockets/process.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { openServiceClock } from '../../support/service/clock.js';
import { type OwnDesktop, openOwnDesktop } from '../../support/service/desktop.js';
import { vitals, watchMemory } from '../../support/service/vitals.js';
import { openViewer } from '../../support/viewer.js';

const MIB = 2 ** 20;
/** Memory that these clients may use, in MiB. */
const MOST_MIB = 500;
/** Requests whose answers of 24 MiB are not read. */
const ANSWERS = 8;
/** Sockets whose first message of 8 MiB never ends. */
const SOCKETS = 16;
/** Writes 1 MiB of NULs to stdout and to stderr: 24 MiB of JSON, because each takes six bytes. */
const LARGE = 'head -c 1M /dev/zero | tee /dev/stderr';

const DAY_MS = 24 * 60 * 60_000;
/**
 * Processes whose output is not read, and what each prints. An emulated machine starts few within
 * the 20 s after which a client that reads nothing is disconnected.
 */
const PROCESSES = inject('engine') === 'docker' ? 12 : 3;
const PRINTED_MIB = 64;

const clock = openServiceClock();
let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop([], clock.options);
});
afterAll(async () => {
  await desktop.close();
  clock.close();
});

/** Sends a request with the key, and reads nothing. */
async function ask(line: string, headers: readonly string[], body = ''): Promise<Socket> {
  const { baseUrl, apiKey } = desktop.service;
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  await once(socket, 'connect');
  const all = [line, 'host: 127.0.0.1', `authorization: Bearer ${apiKey}`, ...headers];
  socket.write(`${all.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

function ignoreAnswer(): Promise<Socket> {
  const body = JSON.stringify({ command: LARGE });
  const headers = ['content-type: application/json', `content-length: ${body.length}`];
  return ask(`POST /api/computers/${desktop.id}/bash HTTP/1.1`, headers, body);
}

/** A text of 8 MiB without its last byte, with a mask of zeros, which leaves it as it is. */
const UNFINISHED = Buffer.alloc(14 + 8 * MIB - 1, 'x');
UNFINISHED.set([0x81, 0xff]);
UNFINISHED.writeBigUInt64BE(BigInt(8 * MIB), 2);
UNFINISHED.fill(0, 10, 14);

async function sendUnfinished(): Promise<Socket> {
  const socket = await ask(`GET /api/computers/${desktop.id}/process HTTP/1.1`, [
    ...['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'],
    `sec-websocket-key: ${Buffer.alloc(16).toString('base64')}`,
  ]);
  socket.write(UNFINISHED);
  return socket;
}

/** Requests that show that the service still works; returns the slowest in milliseconds. */
async function use(): Promise<number> {
  // Small: an owner whose answers are not read gets no large ones.
  const picture = `/computers/${desktop.id}/screenshot?region=0,0,64,64`;
  let slowest = 0;
  for (const path of ['/health', picture, '/health']) {
    const startedAt = performance.now();
    const { status } = await desktop.service.http('GET', path);
    expect(status, path).toBe(200);
    slowest = Math.max(slowest, Math.round(performance.now() - startedAt));
  }
  return slowest;
}

/** How many commands have ended. */
async function ended(): Promise<number> {
  const { json } = await desktop.service.http('GET', `/computers/${desktop.id}/actions?limit=100`);
  return json.actions.filter(({ action }: { action: string }) => action === 'bash').length;
}

promise(29, 'answers and messages of clients take bounded memory', async (report) => {
  const { service } = desktop;
  await use();
  const before = vitals(service.pid).mib;
  const memory = watchMemory(service.pid);
  const sockets: Socket[] = [];
  let slowest = 0;
  try {
    for (let i = 0; i < ANSWERS; i++) sockets.push(await ignoreAnswer());
    await eventually(async () => (await ended()) === ANSWERS, 100_000);
    for (let i = 0; i < SOCKETS; i++) sockets.push(await sendUnfinished());
    // The service has read the messages, or closed their sockets.
    await eventually(
      async () => sockets.every((one) => one.closed || one.writableLength === 0),
      60_000,
    );
    for (let i = 0; i < 5; i++) slowest = Math.max(slowest, await use());
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  const growth = memory.stop() - before;
  expect(growth).toBeLessThan(MOST_MIB);
  await eventually(async () => {
    const command = { command: LARGE };
    const { json } = await service.http('POST', `/computers/${desktop.id}/bash`, command);
    return !json.truncated && json.stdout.length === MIB && json.stderr.length === MIB;
  });
  report(
    `${ANSWERS} answers of 24 MiB not read, ${SOCKETS} messages of 8 MiB: +${growth} MiB, others within ${slowest} ms`,
  );
});

/** A process whose output the client does not read after its first bytes. */
async function startUnread(): Promise<WebSocket> {
  const { baseUrl, apiKey } = desktop.service;
  const url = `${baseUrl.replace('http', 'ws')}/computers/${desktop.id}/process`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${apiKey}` } });
  await once(socket, 'open');
  socket.send(JSON.stringify({ argv: ['head', '-c', `${PRINTED_MIB}M`, '/dev/zero'] }));
  const [first] = await once(socket, 'message');
  expect(first[0], String(first).slice(0, 300)).toBe(StreamId.stdout);
  socket.pause();
  return socket;
}

promise(29, 'the unread output of processes stays in the computer', async (report) => {
  const { pid } = desktop.service;
  await use();
  const before = vitals(pid).mib;
  const memory = watchMemory(pid);
  const sockets = await Promise.all(Array.from({ length: PROCESSES }, startUnread));
  /** The number of processes that print, and how much they have printed. */
  const printing = () =>
    desktop.run('cat $(pgrep -x head | sed "s|.*|/proc/&/io|") | grep wchar || true');
  try {
    let last = '';
    let same = 0;
    // They have filled every buffer on the way.
    const stuck = await eventually(async () => {
      const now = await printing();
      same = now === last ? same + 1 : 0;
      last = now;
      return same === 8 && now;
    }, 100_000);
    expect(stuck.trim().split('\n')).toHaveLength(PROCESSES);
    const slowest = await use();
    const growth = memory.stop() - before;
    expect(growth).toBeLessThan(50 + PROCESSES * 16);
    report(
      `${PROCESSES} outputs of ${PRINTED_MIB} MiB not read: +${growth} MiB, others within ${slowest} ms`,
    );
  } finally {
    for (const socket of sockets) socket.terminate();
  }
  await desktop.until('! pgrep -x head >/dev/null');
});

promise(9, 'streams to private targets are refused', async (report) => {
  const hosts = ['127.0.0.1', '[::ffff:10.0.0.1]', '2130706433', '169.254.169.254', 'localhost'];
  for (const host of hosts) {
    const url = `rtmp://${host}/live/name-of-a-stream`;
    const { status, json } = await desktop.service.http(
      'POST',
      `/computers/${desktop.id}/stream/start`,
      { url },
    );
    expect(status, host).toBe(400);
    expect(json.error, host).toContain('--allow-private-targets');
    expect(json.error).not.toContain('name-of-a-stream');
  }
  report(`${hosts.length} targets refused`);
});

promise(30, 'a jump of the clock by a year loses and stops nothing', async (report) => {
  const { service, id, computer } = desktop;
  const at = `/computers/${id}`;
  expect((await service.http('PATCH', at, { auto_stop_minutes: 60 })).status).toBe(200);
  const first = async (url: string) => {
    const viewer = openViewer(url);
    const event = await viewer.first;
    viewer.socket.close();
    return event?.type;
  };
  const rows = async () => {
    const { json } = await service.http('GET', '/audit?limit=1000');
    return json.entries.map((entry: { id: number }) => entry.id) as number[];
  };
  const before = await rows();
  for (const days of [365, -365]) {
    const { url } = await computer.view('view');
    await clock.shift(service.pid, { wall: days * DAY_MS });
    expect((await service.http('GET', at)).json.status, `${days} days`).toBe('running');
    expect(await first(url), `a ticket of before, ${days} days`).toBe('ready');
    // Only time that has passed ends a ticket.
    const late = await computer.view('view');
    await clock.shift(service.pid, { wall: days * DAY_MS, monotonic: 61_000 });
    expect(await first(late.url), `a ticket after a minute, ${days} days`).toBe('closed');
    await use();
    // A service tidies its audit log when it ends.
    await service.kill('SIGTERM');
    await service.start();
    expect(await rows()).toEqual(expect.arrayContaining(before));
    expect((await service.http('GET', at)).json.status, `${days} days`).toBe('running');
    await use();
  }
  report(`${before.length} audit rows, a ticket and a computer in use, a year ahead and back`);
});
