import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deferred } from '../../lib/async/deferred.js';
import { isOfThisUser } from '../../lib/net/local-sockets.js';

/** An address that leads programs of this user, and no others, to a link. */
export interface PrivateLink {
  readonly address: string;
  /** Resolves at the first visit: to true if it was led to the link. */
  readonly visited: Promise<boolean>;
  /** Ends it; who has visited it still gets the answer. */
  close(): void;
}

/**
 * Redirects to `url` from a local address, Linux only. A program that is started with a link as its
 * argument shows it to all users of the host, who could use it first.
 */
export async function openPrivateLink(url: string): Promise<PrivateLink> {
  // A service that is not trusted may answer a link with characters that no header can have.
  const { href } = new URL(url);
  const path = `/${randomBytes(20).toString('hex')}`;
  const visited = deferred<boolean>();
  const server = createServer((request, response) => {
    const isOurs = request.url === path && isOfThisUser(request.socket);
    const headers = {
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    };
    if (isOurs) response.writeHead(302, { ...headers, location: href }).end();
    else response.writeHead(403, headers).end();
    if (request.url === path) response.once('finish', () => visited.resolve(isOurs));
  });
  // Connections of others must not keep this process.
  server.on('connection', (socket) => socket.unref());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    visited: visited.promise,
    close: () => void server.close(),
  };
}
