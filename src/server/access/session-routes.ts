import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { CreateSession, Session } from '../../contract/access/sessions.js';
import { ApiError } from '../../contract/errors.js';
import { access, operations } from '../../contract/operations.js';
import type { Owner } from '../../fleet/accounts/api-keys.js';
import type { OpenSession } from '../../fleet/accounts/sessions.js';
import type { Fleet } from '../../fleet/fleet.js';
import { audited } from '../audit-requests.js';
import { readInput } from '../http/input/read-input.js';
import { ownerOf } from '../requests.js';
import { mayAdminister } from './authorization.js';
import { clearCookie, isFromPage, secretOf, sessionOf, setCookie } from './session-cookie.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Opens a session: its body, of a few bytes, is read without a key. */
    readonly login?: true;
  }
}

/** Largest body of a login, in bytes: its client is not authenticated yet. */
const MOST_BYTES = 1024;

/** The operations that set the session's cookie: opening a session and ending it. */
export function addSessionRoutes(app: FastifyInstance, fleet: Fleet): void {
  const { createSession, endSession } = operations;
  const config = { login: true } as const;
  app.post(createSession.paths[0], { config }, async (request, reply) => {
    const { body } = readInput(createSession, request);
    const { login, key, replace } = body as z.output<typeof CreateSession>;
    const present = sessionOf(fleet, request);
    if (login !== undefined && !replace && present) refuseOther(fleet, login, present.owner);
    const { secret, session } = fleet.sessions.open({ login, key, present: secretOf(request) });
    const subject = { name: 'createSession', owner: session.owner, computer: undefined } as const;
    await audited(fleet, { ...subject, input: {} }, () => undefined);
    // Its secret is lost with the cookie.
    if (present && present.owner.keyId !== session.owner.keyId) fleet.sessions.end(present.id);
    setCookie(request, reply, secret);
    return serializeSession(fleet, session);
  });
  const ends = { access: access.endSession };
  app.delete(endSession.paths[0], { config: ends }, async (request, reply) => {
    const { owner, session } = currentSession(fleet, ownerOf(request));
    const subject = { name: 'endSession', owner, computer: undefined, input: {} } as const;
    await audited(fleet, subject, () => undefined);
    fleet.sessions.end(session.id);
    clearCookie(request, reply);
    return { success: true };
  });
}

/** Refuses a login that no page of this service sends, or whose body is not short, before it is read. */
export function checkLogin(request: FastifyRequest): void {
  if (!isFromPage(request)) {
    throw new ApiError('unauthorized', 'Only the web page of this service opens sessions.');
  }
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  if (!(length <= MOST_BYTES)) {
    const message = `A login needs a Content-Length of at most ${MOST_BYTES}.`;
    throw new ApiError(length > MOST_BYTES ? 'payload_too_large' : 'invalid_request', message);
  }
}

/**
 * Refuses a link for another key than that of the open session: someone else may have sent the link, so
 * that what the user does next is done with their key. The page asks, and repeats it with `replace`.
 */
function refuseOther(fleet: Fleet, login: string, owner: Owner): void {
  const other = fleet.sessions.ownerOfLogin(login);
  if (other === undefined || other.keyId === owner.keyId) return;
  const nameOf = (one: Owner) => {
    const { name, key } = fleet.keys.describe(one);
    return `${JSON.stringify(key.name)} of ${JSON.stringify(name)}`;
  };
  const message = `This link logs in with the API key ${nameOf(other)}. This browser is logged in with ${nameOf(owner)}.`;
  throw new ApiError('conflict', message, { remedy: 'Only change to it if you made the link.' });
}

/** The session of a request. Throws `not_found` for one with an API key. */
export function currentSession(fleet: Fleet, owner: Owner) {
  const session = owner.sessionId === undefined ? undefined : fleet.sessions.byId(owner.sessionId);
  if (session !== undefined) return { owner, session };
  throw new ApiError('not_found', 'This request has an API key and no session.', {
    remedy: 'See what the key may do: GET /me',
  });
}

export function serializeSession(fleet: Fleet, session: OpenSession): Session {
  const { owner, createdAt, expiresAt } = session;
  const { user_id, name, role, key } = fleet.keys.describe(owner);
  return {
    owner: { id: user_id, name, role },
    key,
    has_members: fleet.members.exist && mayAdminister(fleet, owner),
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}
