import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import type { ApiKeys, Owner } from '../../fleet/accounts/api-keys.js';

/** The owner whose key the request carries. Throws `unauthorized`; the key is never repeated. */
export function authenticate(apiKeys: ApiKeys, request: FastifyRequest): Owner {
  const header = request.headers.authorization;
  if (header === undefined) {
    throw new ApiError('unauthorized', 'The API key is missing.', {
      remedy: 'Send "Authorization: Bearer <API_KEY>". Create a key: vc key create NAME',
    });
  }
  const key = /^bearer +([\x21-\x7e]{1,256}) *$/i.exec(header)?.[1];
  const owner = key === undefined ? undefined : apiKeys.authenticate(key);
  if (owner) return owner;
  throw new ApiError('unauthorized', 'The API key is wrong.');
}

/** Whether the request carries a key of an owner. */
export function hasKey(apiKeys: ApiKeys, request: FastifyRequest): boolean {
  try {
    authenticate(apiKeys, request);
    return true;
  } catch {
    return false;
  }
}
