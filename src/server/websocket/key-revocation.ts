import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { ApiKeys, Owner } from '../../fleet/accounts/api-keys.js';

/** Terminates the socket when its API key is deleted. */
export function closeOnRevocation(socket: WebSocket, apiKeys: ApiKeys, owner: Owner): void {
  if (socket.readyState === socket.CLOSED) return;
  const dispose = apiKeys.whileValid(owner, () => socket.terminate());
  socket.once('close', dispose);
}

/** Aborts a request when its API key is deleted, unless the request itself deletes it. */
export function abortOnRevocation(
  request: FastifyRequest,
  reply: FastifyReply,
  apiKeys: ApiKeys,
  owner: Owner,
): void {
  const isDeletion = request.method === 'DELETE' && 'key' in (request.params as object);
  if (isDeletion) return;
  const dispose = apiKeys.whileValid(owner, () => request.raw.socket.destroy());
  reply.raw.once('close', dispose);
}
