import { signal } from '@preact/signals';
import { asFailure, type Failure } from '../api/failure.js';
import { call, request } from '../api/http.js';
import { forgetSession, rememberSession } from '../api/logged-in.js';
import type { Session } from '../api/types.js';
import { tell } from './notices.js';
import { ending, session } from './session.js';

/** A link for another key than the one the browser is logged in with: someone else may have sent it. */
export const otherLink = signal<{ readonly login: string; readonly failure: Failure } | undefined>(
  undefined,
);

/** Opens a session with a key or a one-time token. */
export async function logIn(
  secret: { key: string } | { login: string; replace?: true },
  first?: Promise<Response>,
): Promise<void> {
  session.value = await call<Session>('POST', '/sessions', { body: secret, first });
  ending.value = undefined;
  rememberSession();
}

/** The key of the session and its owner, for a sentence. */
function whose(): string {
  const { key, owner } = session.value ?? {};
  return `"${key?.name}" of "${owner?.name}"`;
}

export async function logOut(): Promise<void> {
  await request('DELETE', '/sessions/current').catch(() => undefined);
  session.value = null;
  forgetSession();
}

/**
 * Logs in with the link that opened the page, or continues the session of the cookie. Answers the
 * reason why a link did not work.
 */
export async function resume(): Promise<Failure | undefined> {
  const { opened, token } = window.start;
  if (token !== undefined) {
    try {
      await logIn({ login: token }, opened);
      // Someone else may have made the link.
      tell(`Logged in with the API key ${whose()}`);
      return undefined;
    } catch (error) {
      const failure = asFailure(error);
      if (failure.code !== 'conflict') return withoutSession(failure);
      // The user decides: the browser stays logged in until then.
      otherLink.value = { login: token, failure };
    }
  }
  try {
    const first = token === undefined ? opened : undefined;
    session.value = await call<Session>('GET', '/sessions/current', { first });
    rememberSession();
  } catch (error) {
    const failure = withoutSession(asFailure(error));
    return failure.status === 401 ? undefined : failure;
  }
  return undefined;
}

/** The next session must not get the socket that was opened for this one. */
function withoutSession(failure: Failure): Failure {
  window.start.wall?.socket.close();
  window.start.wall = undefined;
  session.value = null;
  if (failure.status === 401) forgetSession();
  return failure;
}
