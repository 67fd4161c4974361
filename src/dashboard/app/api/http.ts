import { noteAway, noteReached } from '../state/connection.js';
import { endSession } from '../state/session.js';
import { Failure, failureOf } from './failure.js';
import type { Method } from './types.js';

export const API = '/api';

export interface RequestOptions {
  readonly body?: unknown;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Sends it even if the page is closed meanwhile. */
  readonly keepalive?: boolean;
}

/** Sends a request with the session's cookie. Throws {@link Failure} unless it succeeded. */
export async function request(
  method: Method,
  path: string,
  { body, accept, signal, keepalive }: RequestOptions = {},
): Promise<Response> {
  // The first header shows that this page sends the request, also where the browser does not say so.
  const headers: Record<string, string> = { 'x-vc-page': '1' };
  if (accept !== undefined) headers.accept = accept;
  // The service takes writes by cookie as JSON only, which other sites cannot send.
  if (method !== 'GET') headers['content-type'] = 'application/json';
  const response = await fetch(API + path, {
    method,
    headers,
    signal,
    keepalive,
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    noteAway();
    throw new Failure('The service cannot be reached.', {
      status: 0,
      code: 'unreachable',
      remedy: 'This page tries again until it is back. On its host: vc service status',
    });
  });
  noteReached();
  if (response.ok) return response;
  const failure = await failureOf(response);
  if (response.status === 401 && path !== '/sessions') endSession();
  throw failure;
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
