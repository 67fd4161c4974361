import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { UntrustedPageError } from '../../../src/client/errors.js';
import { verifyPage } from '../../../src/client/http/trusted-peer.js';
import { noIpv6 } from '../../support/network/ipv6.js';
import { promise } from '../../support/run/promise.js';

const NAME = `vc-${'0123456789abcdef'.repeat(2)}.localhost`;
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(host: string, port = 0): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  server.listen({ host, port, ipv6Only: true });
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

const verify = (url: string, uid?: number | 'any') => verifyPage(new URL(url), uid);

promise.unless(noIpv6)(
  25,
  'a link to a page is given only if its user listens wherever browsers look for it',
  async (report) => {
    const port = await listen('127.0.0.1');
    const link = `http://${NAME}:${port}/#login=vl_1`;
    await expect(verify(link)).rejects.toThrow(UntrustedPageError);
    await expect(verify(link)).rejects.toThrow(`listens on [::1]:${port}`);
    await listen('::1', port);
    await expect(verify(link)).resolves.toBeUndefined();
    report('refused while [::1] is free');
  },
);

it('checks no other links, and nothing if all listeners are trusted', async () => {
  const port = await listen('127.0.0.1');
  for (const other of [`http://127.0.0.1:${port}/`, `https://${NAME}:${port}/`]) {
    await expect(verify(other)).resolves.toBeUndefined();
  }
  await expect(verify(`http://${NAME}:${port}/`, 'any')).resolves.toBeUndefined();
});
