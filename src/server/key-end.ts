import type { WebSocket } from 'ws';
import type { Access, Owner } from '../fleet/access.js';

/** Breaks the socket off when the key that opened it is deleted. */
export function endWithKey(socket: WebSocket, access: Access, owner: Owner): void {
  if (socket.readyState === socket.CLOSED) return;
  const forget = access.whileValid(owner, () => socket.terminate());
  socket.once('close', forget);
}
