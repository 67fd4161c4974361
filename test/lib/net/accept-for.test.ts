import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { acceptFor } from '../../../src/lib/net/accept-for.js';

test('an HTTP server answers on a further address, and closes its connections', async () => {
  const server = createServer((_, response) => response.end('hello'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const listener = await acceptFor(server, { host: '127.0.0.2', port });
  const socket = connect(port, '127.0.0.2');
  const request = 'GET / HTTP/1.1\r\nhost: localhost\r\n';
  // Its body comes after the client has ended its side.
  socket.end(`${request}connection: keep-alive\r\n\r\n`);
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 .*hello/s);
  const other = connect(port, '127.0.0.2');
  other.write(request);
  await once(other, 'connect');
  await expect(acceptFor(server, { host: '127.0.0.2', port })).rejects.toThrow('EADDRINUSE');
  expect(await acceptFor(server, { host: '192.0.2.1', port })).toBeUndefined();
  other.on('error', () => undefined);
  await Promise.all([
    new Promise((done) => other.once('close', done)),
    new Promise((done) => listener?.close(done)),
    new Promise((done) => {
      server.close(done);
      server.closeAllConnections();
    }),
  ]);
});
