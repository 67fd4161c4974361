import type { Socket } from 'node:net';
import { openingUids } from './tcp-table.js';

/**
 * True if this user or root has opened a connection that this process has accepted, and has not closed
 * it, Linux only. Root can read everything anyway.
 */
export async function isOfThisUser(socket: Socket): Promise<boolean> {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  if (localAddress === undefined || localPort === undefined) return false;
  if (remoteAddress === undefined || remotePort === undefined) return false;
  const [uid] = await openingUids([{ localAddress, localPort, remoteAddress, remotePort }]);
  return uid !== undefined && (uid === 0 || uid === process.geteuid?.());
}
