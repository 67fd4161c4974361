import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findHolder, holderOf } from '../../../src/server/access/session-holder.js';
import { openLocalConnection } from '../../support/client/local-connection.js';
import { eventually } from '../../support/eventually.js';

let server: Server;
const accepted: Socket[] = [];
const clients: Socket[] = [];
beforeAll(async () => {
  server = createServer((socket) => accepted.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  for (const socket of [...clients, ...accepted]) socket.destroy();
  server.close();
});

async function requestOnNewConnection(
  given: Partial<Pick<IncomingMessage, 'method' | 'url' | 'headers'>>,
): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  clients.push(client);
  const count = accepted.length;
  await once(client, 'connect');
  await eventually(async () => accepted.length > count);
  const socket = accepted.at(-1);
  return { method: 'GET', url: '/api/me', headers: {}, ...given, socket } as IncomingMessage;
}

const cookie = `vc_session_4700=vs_${'a'.repeat(32)}`;

it.runIf(process.platform === 'linux')('finds the user of many sessions at once', async () => {
  const requests = await Promise.all(
    Array.from({ length: 20 }, (_, nth) =>
      requestOnNewConnection(
        nth % 2 === 0 ? { headers: { cookie } } : { method: 'POST', url: '/api/sessions' },
      ),
    ),
  );
  let ofTurn = 0;
  let most = 0;
  const nextTurn = () => {
    ofTurn = 0;
    timer = setImmediate(nextTurn);
  };
  let timer = setImmediate(nextTurn);
  const count = () => {
    ofTurn += 1;
    most = Math.max(most, ofTurn);
  };
  await Promise.all(
    requests.map((request) =>
      new Promise<void>((done) => findHolder(request.socket, done)).then(count),
    ),
  );
  clearImmediate(timer);
  expect(requests.map(holderOf)).toEqual(Array(20).fill(` uid ${process.getuid?.()}`));
  // They continue in several turns of the event loop.
  expect(most).toBeLessThanOrEqual(8);
});

it.runIf(process.platform === 'linux')(
  'closed connections are of nobody, even if a user listens on their port',
  async () => {
    const connections = await Promise.all([openLocalConnection(), openLocalConnection()]);
    try {
      const holders = connections.map(async ({ accepted, closeAndListen }) => {
        await closeAndListen();
        const request = { method: 'GET', headers: { cookie }, socket: accepted } as IncomingMessage;
        await new Promise<void>((done) => findHolder(request.socket, done));
        return holderOf(request);
      });
      const all = ['', ` uid ${process.getuid?.()}`, ...(await Promise.all(holders))];
      expect(new Set(all).size).toBe(4);
    } finally {
      for (const { end } of connections) end();
    }
  },
);
