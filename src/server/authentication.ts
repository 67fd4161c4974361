import type { FastifyRequest } from 'fastify';
import { ApiError } from '../contract/errors.js';
import type { Access, Owner } from '../fleet/access.js';

/** The owner whose key the request carries. Throws `unauthorized`; the key is never repeated. */
export function authenticate(access: Access, request: FastifyRequest): Owner {
  const header = request.headers.authorization;
  if (header === undefined) {
    const advice = 'send "Authorization: Bearer <API_KEY>"; "vc key create" makes a key';
    throw new ApiError('unauthorized', `The API key is missing: ${advice}.`);
  }
  const key = /^bearer +([\x21-\x7e]{1,256}) *$/i.exec(header)?.[1];
  const owner = key === undefined ? undefined : access.authenticate(key);
  if (owner) return owner;
  throw new ApiError('unauthorized', 'The API key is wrong; "vc key create" makes a new one.');
}
