import { noteAway, noteReached } from '../state/connection.js';
import { endSession } from '../state/session.js';
import { API } from './addresses.js';
import { Failure, failureOf } from './failure.js';
import type { Method } from './types.js';

export interface RequestOptions {
  readonly body?: unknown;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Sends it even if the page is closed meanwhile. */
  readonly keepalive?: boolean;
  /** A POST that does no more when it arrives twice. */
  readonly repeatable?: boolean;
  /** The answer to it, if it was sent once before. */
  readonly first?: Promise<Response> | undefined;
}

const REPEATABLE: readonly Method[] = ['GET', 'PUT', 'DELETE'];
/**
 * Milliseconds before a request without an answer is sent again, if that is safe: a browser gives up
 * all requests in progress when the host's network changes, for example when a computer is deleted.
 */
const PAUSES_MS = [150, 500, 1_500];

/** Sends a request with the session's cookie. Throws {@link Failure} unless it succeeded. */
export async function request(
  method: Method,
  path: string,
  { body, accept, signal, keepalive, repeatable, first }: RequestOptions = {},
): Promise<Response> {
  // The first header shows that this page sends the request, also where the browser does not say so.
  const headers: Record<string, string> = { 'x-vc-page': '1' };
  if (accept !== undefined) headers.accept = accept;
  // The service takes writes by cookie as JSON only, which other sites cannot send.
  if (method !== 'GET') headers['content-type'] = 'application/json';
  let sent = 0;
  const send = () => {
    sent += 1;
    if (first !== undefined && sent === 1) return first;
    return fetch(API + path, {
      method,
      headers,
      signal,
      keepalive,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };
  const pauses = repeatable || REPEATABLE.includes(method) ? PAUSES_MS : [];
  const response = await sendUntilAnswered(send, pauses, signal).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    noteAway();
    throw new Failure('The service cannot be reached.', {
      status: 0,
      code: 'unreachable',
      remedy: 'Try again when it is back. On its host: vc service status',
    });
  });
  noteReached();
  if (response.ok) return response;
  // An earlier request has deleted it, whose answer was lost.
  const isGone = method === 'DELETE' && sent > 1 && response.status === 404;
  if (isGone) return Response.json({ success: true });
  const failure = await failureOf(response);
  if (response.status === 401 && path !== '/sessions') endSession();
  throw failure;
}

async function sendUntilAnswered(
  send: () => Promise<Response>,
  pauses: readonly number[],
  signal: AbortSignal | undefined,
): Promise<Response> {
  for (const [attempt, pause] of pauses.entries()) {
    try {
      return await send();
    } catch (error) {
      if (signal?.aborted) throw error;
      // One alone may be a change of the network.
      if (attempt > 0) noteAway();
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return send();
}

/** Sends a request and reads its JSON answer. */
export async function call<Answer>(
  method: Method,
  path: string,
  options?: RequestOptions,
): Promise<Answer> {
  const response = await request(method, path, options);
  return (await response.json()) as Answer;
}

/** The query of an address; undefined and empty values are left out. */
export function query(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)] as [string, string]))}`;
}
