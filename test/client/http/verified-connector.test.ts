import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it } from 'vitest';
import { verifiedConnector } from '../../../src/client/http/trusted-peer.js';

/** Node stores this socket option under a symbol. */
function hasNoDelay(socket: Socket): unknown {
  const symbol = Object.getOwnPropertySymbols(socket).find(
    ({ description }) => description === 'kSetNoDelay',
  );
  return symbol && Reflect.get(socket, symbol);
}

it("disables Nagle's algorithm, like Node's own agent", async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = await new Promise<Socket>((resolve, reject) => {
    verifiedConnector(process.geteuid?.())({ host: '127.0.0.1', port }, (error, opened) =>
      error ? reject(error) : resolve(opened),
    );
  });
  expect(hasNoDelay(socket)).toBe(true);
  socket.destroy();
  server.close();
});
