import type { FastifyRequest } from 'fastify';
import { type Access, includesRight, type Right, rightFor } from '../../contract/access/rights.js';
import { ApiError } from '../../contract/errors.js';
import type { Owner } from '../../fleet/accounts/api-keys.js';
import { oneProject } from '../../fleet/accounts/scope.js';
import type { Fleet } from '../../fleet/fleet.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a key needs for this route. Without it only a key with all rights can use the route. */
    readonly access?: Access | 'open';
    /** To others than administrators with all rights the route does not exist. */
    readonly administrators?: true;
  }
}

const ALL: Access = { right: 'manage', reach: 'owner' };

/**
 * Refuses a request that the key's rights do not allow: before its body is read, and again before it
 * is answered. Whether what it names exists makes no difference. `hidden` is the error of a path that
 * does not exist.
 */
export function authorize(
  request: FastifyRequest,
  owner: Owner,
  rights: Right,
  hidden: () => ApiError,
): void {
  if (request.is404) return;
  const { access = ALL, administrators } = request.routeOptions.config;
  if (access === 'open') return;
  // Refused when the body was read, exactly as a path that does not exist.
  if (administrators) return;
  if (includesRight(rights, access.right) && reaches(owner, access)) return;
  if (request.routeOptions.config.access === undefined) throw hidden();
  throw reaches(owner, access) ? missingRight(rights, access.right) : oneProject();
}

/** The same for what only the body says, and for a request that has waited since. */
export function authorizeBody(fleet: Fleet, owner: Owner, access: Access, body: unknown): void {
  const needed = rightFor(access, body);
  const rights = presentRights(fleet, owner);
  if (!includesRight(rights, needed)) throw missingRight(rights, needed);
}

/** What the key may do now. Throws `unauthorized` if it, or the session, has ended. */
export function presentRights({ apiKeys }: Fleet, owner: Owner): Right {
  const rights = apiKeys.isValid(owner) ? apiKeys.rightsOf(owner) : undefined;
  if (rights === undefined) throw new ApiError('unauthorized', 'The API key is wrong.');
  return rights;
}

function reaches({ projectId }: Owner, { reach }: Access): boolean {
  return projectId === undefined || reach === 'project';
}

function missingRight(rights: Right, needed: Right): ApiError {
  const message = `This needs an API key with the right ${JSON.stringify(needed)}; yours has ${JSON.stringify(rights)}.`;
  return new ApiError('forbidden', message, {
    remedy: 'Use a key with more rights, or ask who gave you this one.',
  });
}

/** Whether the key has everything that an administrator may do. */
export function mayAdminister(fleet: Fleet, owner: Owner): boolean {
  return fleet.owners.mayAdminister(owner);
}
