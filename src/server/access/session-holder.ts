import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Connection, peerUids } from '../../lib/net/tcp-table.js';

/** Of connections of this host. */
const holders = new WeakMap<Socket, string>();

/**
 * Finds the user of this host who has the other end of the connection, Linux only, and calls `done`.
 * The session of a cookie works for that user only: another one could take the port of a stopped
 * service, and would get the cookie of a page that is still open.
 */
export function findHolder({ socket, headers, method }: IncomingMessage, done: () => void): void {
  // Others have no session and open none.
  const mayMatter = headers.cookie !== undefined || method === 'POST';
  const isNeeded = mayMatter && headers.authorization === undefined && !holders.has(socket);
  const connection = isNeeded ? localConnection(socket) : undefined;
  if (connection === undefined) {
    done();
    return;
  }
  peerUids(connection)
    .catch(() => [])
    .then((uids) => {
      holders.set(socket, ` uid ${uids.join(' ')}`);
      done();
    });
}

/** What the secret of a session is stored with; empty for a client on another host. */
export function holderOf({ socket }: IncomingMessage): string {
  return holders.get(socket) ?? '';
}

function localConnection(socket: Socket): Connection | undefined {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  if (process.platform !== 'linux' || localAddress === undefined || localPort === undefined) return;
  if (remoteAddress === undefined || remotePort === undefined) return;
  const isLocal = remoteAddress === localAddress || /^(::ffff:)?127\.|^::1$/i.test(remoteAddress);
  return isLocal ? { localAddress, localPort, remoteAddress, remotePort } : undefined;
}
