import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { KEY_ENDED } from '../../contract/constants.js';
import type { ApiKeys, Identity, Owner } from '../../fleet/accounts/api-keys.js';
import { disconnect } from '../requests.js';

/**
 * Ends the socket when its API key or session ends, before the request that ends it is answered. The
 * close frame tells the client that it need not connect again; nothing is read or sent after it. A key
 * whose rights were changed is still valid, so its client may connect again.
 */
export function closeOnRevocation(
  socket: WebSocket,
  request: FastifyRequest,
  apiKeys: ApiKeys,
  owner: Owner,
): void {
  if (socket.readyState === socket.CLOSED) return;
  const dispose = apiKeys.whileValid(owner, () => {
    if (!apiKeys.isValid(owner)) socket.close(KEY_ENDED, 'The API key or session has ended.');
    socket.terminate();
  });
  socket.once('close', dispose);
  // From now on the socket ends in place of its request.
  request.stayOnRevocation?.();
}

/**
 * Aborts a request when its API key is deleted or has other rights, unless the request itself may end
 * the key or session: it deletes or changes keys, logs out, or deletes the project that the key is
 * limited to. Such a request is refused if that happens before it begins.
 */
export function abortOnRevocation(
  request: FastifyRequest,
  reply: FastifyReply,
  apiKeys: ApiKeys,
  identity: Identity,
): void {
  if (mayEndItself(request, identity.owner)) return;
  const dispose = apiKeys.onEnd(identity, () => disconnect(request));
  request.stayOnRevocation = dispose;
  reply.raw.once('close', dispose);
}

function mayEndItself(
  { method, routeOptions: { url = '' } }: FastifyRequest,
  { projectId }: Owner,
): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  if (/\/keys\/:key$|\/sessions\/current$/.test(url)) return true;
  if (method === 'PATCH' || projectId === undefined) return false;
  return /\/projects\/(:project|by-name\/:project)(\/delete)?$/.test(url);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The request no longer ends with its key. */
    stayOnRevocation: (() => void) | null;
  }
}
