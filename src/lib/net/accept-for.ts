import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { createServer, type ListenOptions, type Server } from 'node:net';

/**
 * Accepts connections for an HTTP server on a further address, which Node.js gives only one. Resolves to
 * the listener, which the caller closes, or to undefined if this host does not have the address.
 */
export async function acceptFor(
  server: HttpServer,
  address: Pick<ListenOptions, 'host' | 'port'>,
): Promise<Server | undefined> {
  // As an HTTP server has them.
  const options = { allowHalfOpen: true, noDelay: true };
  const listener = createServer(options, (socket) => server.emit('connection', socket));
  listener.listen({ ...address, ipv6Only: true });
  try {
    await once(listener, 'listening');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(code)) return undefined;
    throw error;
  }
  return listener;
}
