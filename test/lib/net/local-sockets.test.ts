import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { isOfThisUser, listeningSockets } from '../../../src/lib/net/local-sockets.js';

describe.runIf(process.platform === 'linux')('sockets of this host', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['0.0.0.0', '127.0.0.1'],
    ['::', '127.0.0.1'],
    ['::1', '::1'],
  ])(
    'listening on %s and connected to %s: who listens, and who has connected',
    async (bind, to) => {
      const server = createServer({ allowHalfOpen: true }).listen(0, bind);
      const isBound = await once(server, 'listening').then(
        () => true,
        () => false,
      );
      // A host without IPv6.
      if (!isBound) return;
      const { port } = server.address() as AddressInfo;
      const accepting = once(server, 'connection') as Promise<[Socket]>;
      const client = connect(port, to);
      const [[accepted]] = await Promise.all([accepting, once(client, 'connect')]);
      try {
        expect(listeningSockets(to, port)).toMatchObject([{ uid: process.geteuid?.() }]);
        expect(listeningSockets(to, port === 65_535 ? 1 : port + 1)).toEqual([]);
        expect(isOfThisUser(accepted)).toBe(true);
        client.destroy();
        await once(client, 'close');
        expect(isOfThisUser(accepted)).toBe(false);
      } finally {
        accepted.destroy();
        server.close();
      }
    },
  );
});
