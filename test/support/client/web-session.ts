import { expect } from 'vitest';
import type { Json, ServiceClient } from '../service/service.js';

/** Requests of the web page, with a session of its own. Fails if one is refused. */
export async function openWebSession({
  baseUrl,
  apiKey: key,
}: Pick<ServiceClient, 'baseUrl' | 'apiKey'>) {
  // As through a TLS proxy: the address of loopback has no sessions without one.
  const headers: Record<string, string> = {
    ...{
      origin: new URL(baseUrl).origin,
      'x-forwarded-proto': 'https',
      'content-type': 'application/json',
      'x-vc-page': '1',
    },
  };
  const opened = await fetch(`${baseUrl}/sessions`, {
    ...{ method: 'POST', headers, body: JSON.stringify({ key }) },
  });
  headers.cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  return async (method: string, path: string, given: object = {}): Promise<Json> => {
    const sent = method === 'POST' ? { body: JSON.stringify(given) } : {};
    const answer = await fetch(`${baseUrl}${path}`, { method, headers, ...sent });
    expect(answer.status, `${method} ${path}`).toBe(200);
    return answer.json();
  };
}
