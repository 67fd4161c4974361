import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../contract/errors.js';
import { keyOfProtocols } from '../../contract/sockets/protocols.js';
import type { ApiKeys, Identity } from '../../fleet/accounts/api-keys.js';

/** What of a request shows who sends it; Fastify's requests have it, too. */
export type KeyCarrier = Pick<IncomingMessage, 'headers' | 'method' | 'socket'>;

/** The owner whose key the request carries. Throws `unauthorized`; the key is never repeated. */
export function authenticate(apiKeys: ApiKeys, request: KeyCarrier): Identity {
  if (request.headers.authorization === undefined && keyOfPage(request) === undefined) {
    throw new ApiError('unauthorized', 'The API key is missing.', {
      remedy: 'Send "Authorization: Bearer <API_KEY>". Create a key: vc key create NAME',
    });
  }
  const identity = identityOfKey(apiKeys, request);
  if (identity) return identity;
  throw new ApiError('unauthorized', 'The API key is wrong.');
}

/** What the last request of a connection was authenticated with: to hash a key takes time. */
const authenticated = new WeakMap<object, { readonly header: string; readonly keyId: string }>();

/** The owner whose key the request carries, if it carries one. */
export function identityOfKey(apiKeys: ApiKeys, request: KeyCarrier): Identity | undefined {
  const { authorization: header } = request.headers;
  const { socket } = request;
  const last = authenticated.get(socket);
  if (last !== undefined && last.header === header) return apiKeys.identifyAgain(last.keyId);
  const key = header === undefined ? keyOfPage(request) : keyOf(header);
  const identity = key === undefined ? undefined : apiKeys.identify(key);
  if (identity !== undefined && header !== undefined) {
    authenticated.set(socket, { header, keyId: identity.key.id });
  }
  return identity;
}

function keyOf(authorization: string): string | undefined {
  return /^bearer +([\x21-\x7e]{1,256}) *$/i.exec(authorization)?.[1];
}

/** A page cannot send the header with a WebSocket: its key is one of the subprotocols. */
function keyOfPage({ headers }: KeyCarrier): string | undefined {
  const isUpgrade = /^websocket$/i.test(headers.upgrade ?? '');
  return isUpgrade ? keyOfProtocols(headers['sec-websocket-protocol'] ?? '') : undefined;
}
