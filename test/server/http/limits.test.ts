// @module-tag slow
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { buildApp } from '../../../src/server/app.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';
import { promise } from '../../support/run/promise.js';

let world: TestFleet;
let app: Awaited<ReturnType<typeof buildApp>> | undefined;
let port = 0;
const open: Socket[] = [];

beforeEach(async () => {
  world = await openTestFleet();
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await app?.close();
  await world.close();
});

async function listen(maxConnections?: number): Promise<void> {
  const log = pino({ level: 'silent' });
  const options = { fleet: world.fleet, reachable: { hosts: [] }, version: '0.0.0', log };
  app = await buildApp({ ...options, maxConnections });
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as AddressInfo);
}

async function ask(path: string, key = world.key): Promise<{ socket: Socket; head: string }> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  open.push(socket);
  const authorization = key === '' ? '' : `Authorization: Bearer ${key}\r\n`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n${authorization}\r\n`);
  const [data] = await once(socket, 'data');
  return { socket, head: String(data) };
}

promise(
  21,
  'of many requests at once those beyond 256 get 429, and health answers',
  async (report) => {
    await listen();
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const page = { computers: [], next_cursor: null };
    Object.assign(world.fleet.computers, { page: () => held.then(() => page) });
    const asked = Array.from({ length: 300 }, () => ask('/api/computers'));
    const refused = await Promise.any(asked);
    expect(refused.head).toMatch(/^HTTP\/1.1 429[\s\S]*retry-after: 1\r\n/);
    expect((await ask('/api/health')).head).toMatch(/^HTTP\/1.1 200/);
    end();
    const heads = (await Promise.all(asked)).map(({ head }) => head.slice(9, 12));
    expect(heads.filter((status) => status === '429')).toHaveLength(44);
    expect(heads.filter((status) => status === '200')).toHaveLength(256);
    report('of 300 requests 256 got 200 and 44 got 429');
    expect((await ask('/api/me')).head).toMatch(/^HTTP\/1.1 200/);
  },
);

it('an owner can have half of the connections, and others connect meanwhile', async () => {
  await listen(20);
  for (let nth = 0; nth < 10; nth++) {
    expect((await ask('/api/me')).head).toMatch(/^HTTP\/1.1 200/);
  }
  expect((await ask('/api/me')).head).toMatch(/^HTTP\/1.1 429[\s\S]*too many open connections/);
  expect((await ask('/api/health', '')).head).toMatch(/^HTTP\/1.1 200/);
  const [first] = open.splice(0, 1);
  first?.destroy();
  await expect.poll(async () => (await ask('/api/me')).head.slice(0, 12)).toBe('HTTP/1.1 200');
});

it('an owner can have 16 walls, and further ones get 429', async () => {
  await listen();
  const headers = { authorization: `Bearer ${world.key}` };
  const walls = Array.from({ length: 17 }, () => {
    return new WebSocket(`ws://127.0.0.1:${port}/api/wall`, { headers });
  });
  const outcomes = await Promise.all(
    walls.map((wall) =>
      Promise.race([
        once(wall, 'open').then(() => 101),
        once(wall, 'unexpected-response').then(([, { statusCode }]) => statusCode as number),
      ]),
    ),
  );
  expect(outcomes.filter((status) => status === 101)).toHaveLength(16);
  expect(outcomes).toContain(429);
  for (const wall of walls) wall.terminate();
});
