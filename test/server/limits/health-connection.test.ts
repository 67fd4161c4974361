import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildApp } from '../../../src/server/app.js';
import { Metrics } from '../../../src/server/metrics.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';

const MOST = 20;

let test: TestFleet;
let app: Awaited<ReturnType<typeof buildApp>>;
let port = 0;
const open: Socket[] = [];
beforeEach(async () => {
  test = await openTestFleet();
  app = await buildApp({
    ...{ fleet: test.fleet, reachable: { hosts: [] }, version: '0.0.0' },
    ...{ log: pino({ level: 'silent' }), metrics: new Metrics(), maxConnections: MOST },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as AddressInfo);
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await app.close();
  await test.close();
});

async function dial(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  open.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** Asks for the health; false if the connection was closed. */
async function isAnswered(socket: Socket, key: string): Promise<boolean> {
  const authorization = key === '' ? '' : `Authorization: Bearer ${key}\r\n`;
  socket.write(`GET /api/health HTTP/1.1\r\nHost: localhost:${port}\r\n${authorization}\r\n`);
  const answered = once(socket, 'data').then(
    () => true,
    () => false,
  );
  return Promise.race([answered, once(socket, 'close').then(() => false)]);
}

it('a connection that only asks for the health with a key belongs to an owner', async () => {
  const [owner, wrong] = [await dial(), await dial()];
  expect(await isAnswered(owner, test.key)).toBe(true);
  expect(await isAnswered(wrong, `${test.key}x`)).toBe(true);
  const closed = once(wrong, 'close');
  for (let count = 0; count < 2 * MOST; count++) (await dial()).write('GET / HTTP/1.1\r\nHo');
  await closed;
  expect(await isAnswered(owner, test.key)).toBe(true);
});
