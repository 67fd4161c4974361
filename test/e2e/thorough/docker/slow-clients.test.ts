import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { WebSocket } from 'ws';
import { StreamId } from '../../../../src/contract/sockets/process.js';
import { eventually } from '../../../support/eventually.js';
import { promise } from '../../../support/run/promise.js';
import { type OwnDesktop, openOwnDesktop } from '../../../support/service/desktop.js';
import { rested, vitals } from '../../../support/service/vitals.js';

let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop();
});
afterAll(() => desktop.close());

/** The service disconnects every slow client within this time, most much earlier. */
const LIMIT_MS = 150_000;

const seconds = (startedAt: number) => Math.round((performance.now() - startedAt) / 1000);

/** A client that writes `head`, then `more` each second, until it is disconnected. */
async function trickle(head: string, more: string): Promise<number> {
  const startedAt = performance.now();
  const { port } = new URL(desktop.service.baseUrl);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  socket.write(head);
  const timer = setInterval(() => socket.write(more), 1000);
  await closed(socket);
  clearInterval(timer);
  return seconds(startedAt);
}

/** A client that sends a request and never reads the answer. */
async function ignore(method: string, path: string, body = ''): Promise<number> {
  const port = Number(new URL(desktop.service.baseUrl).port);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(`${head(method, path)}content-length: ${body.length}\r\n\r\n${body}`);
  const startedAt = performance.now();
  await eventually(
    async () => socket.localPort !== undefined && isConnected(port, socket.localPort),
  );
  // A client that does not read does not notice the end: check the service's socket.
  await eventually(async () => !isConnected(port, socket.localPort ?? 0), LIMIT_MS);
  socket.destroy();
  return seconds(startedAt);
}

/** Whether the server's end of the connection between these loopback ports is open. */
function isConnected(server: number, client: number): boolean {
  const hex = (port: number) => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const established = `${hex(server)} ${hex(client)} 01 `;
  return readFileSync('/proc/net/tcp', 'utf8').includes(established);
}

function head(method: string, path: string): string {
  return [
    `${method} /api/computers/${desktop.id}${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Bearer ${desktop.service.apiKey}`,
    'content-type: application/json',
    '',
  ].join('\r\n');
}

async function closed(socket: Socket): Promise<void> {
  if (!socket.destroyed) await once(socket, 'close', { signal: AbortSignal.timeout(LIMIT_MS) });
}

/** A process that prints endlessly to a client that does not read. */
async function unreadSocket(): Promise<number> {
  const { baseUrl, apiKey } = desktop.service;
  const url = `${baseUrl.replace('http', 'ws')}/computers/${desktop.id}/process`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${apiKey}` } });
  socket.on('error', () => undefined);
  await once(socket, 'open');
  socket.send(JSON.stringify({ argv: ['yes', 'for ever and ever'] }));
  const [first] = await once(socket, 'message');
  expect((first as Buffer)[0]).toBe(StreamId.stdout);
  const startedAt = performance.now();
  socket.pause();
  const runs = async () => (await desktop.run('pgrep -f "^yes for ever"; true')) !== '';
  await eventually(async () => !(await runs()), LIMIT_MS);
  const elapsed = seconds(startedAt);
  socket.terminate();
  return elapsed;
}

promise(
  23,
  'a client that sends or reads too slowly is disconnected, and leaves nothing behind',
  async (report) => {
    // Larger than any socket buffer: 1 MiB of characters that JSON escapes with six bytes each.
    const large = JSON.stringify({ command: "head -c 1000000 /dev/zero | tr '\\0' '\\1'" });
    await desktop.run('head -c 60000000 /dev/zero > ~/large');
    const before = vitals(desktop.service.pid);
    const request = `${head('POST', '/type')}content-length: 1000\r\n\r\n`;
    const [headers, body, upload, answer, download, socket] = await Promise.all([
      trickle(head('GET', ''), 'x'),
      trickle(request, ' '),
      trickle(`${head('PUT', '/files?path=slow')}content-length: 1000000\r\n\r\n`, 'x'),
      ignore('POST', '/bash', large),
      ignore('GET', '/files?path=large'),
      unreadSocket(),
    ]);
    const took = { headers, body, upload, answer, download, socket };
    await rested(desktop.service.pid, before.descriptors + 3);
    expect(await desktop.run('ls -A ~ | grep vc-upload; true')).toBe('');
    await desktop.run('true');
    report(
      `let go after ${Object.entries(took)
        .map((pair) => pair.join(' '))
        .join(', ')} s`,
    );
  },
  300_000,
);
