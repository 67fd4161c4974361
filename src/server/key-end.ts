import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { Access, Owner } from '../fleet/access.js';

/** Breaks the socket off when the key that opened it is deleted. */
export function endWithKey(socket: WebSocket, access: Access, owner: Owner): void {
  if (socket.readyState === socket.CLOSED) return;
  const forget = access.whileValid(owner, () => socket.terminate());
  socket.once('close', forget);
}

/** Breaks a request off when its key is deleted, unless it is the one that deletes it. */
export function endRequestWithKey(
  request: FastifyRequest,
  reply: FastifyReply,
  access: Access,
  owner: Owner,
): void {
  const isDeletion = request.method === 'DELETE' && 'key' in (request.params as object);
  if (isDeletion) return;
  const forget = access.whileValid(owner, () => request.raw.socket.destroy());
  reply.raw.once('close', forget);
}
