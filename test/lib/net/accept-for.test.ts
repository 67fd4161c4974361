import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { acceptFor } from '../../../src/lib/net/accept-for.js';

const fail = (error: Error) => {
  throw error;
};

test('an HTTP server answers on a further address, and closes its connections', async () => {
  const server = createServer((_, response) => response.end('hello'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = await acceptFor(server, { host: '127.0.0.2', port }, fail);
  const socket = connect(port, '127.0.0.2');
  const request = 'GET / HTTP/1.1\r\nhost: localhost\r\n';
  // Its body comes after the client has ended its side.
  socket.end(`${request}connection: keep-alive\r\n\r\n`);
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 .*hello/s);
  const other = connect(port, '127.0.0.2');
  other.write(request);
  await once(other, 'connect');
  await expect(acceptFor(server, { host: '127.0.0.2', port }, fail)).rejects.toThrow('EADDRINUSE');
  // An address that this host does not have yet.
  const stopTrying = await acceptFor(server, { host: '192.0.2.1', port }, fail);
  stopTrying();
  other.on('error', () => undefined);
  stop();
  await Promise.all([
    new Promise((done) => other.once('close', done)),
    new Promise((done) => {
      server.close(done);
      server.closeAllConnections();
    }),
  ]);
});
