import type { Socket } from 'node:net';
import { peerUids } from './tcp-table.js';

/**
 * True if only this user or root has the other end of a connection of this host, Linux only. Root can
 * read everything anyway.
 */
export async function isOfThisUser(socket: Socket): Promise<boolean> {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  if (localAddress === undefined || localPort === undefined) return false;
  if (remoteAddress === undefined || remotePort === undefined) return false;
  const uids = await peerUids({ localAddress, localPort, remoteAddress, remotePort });
  return uids.length > 0 && uids.every((uid) => uid === 0 || uid === process.geteuid?.());
}
