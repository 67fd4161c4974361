import { expect } from 'vitest';
import type { Json, ServiceClient } from '../service/service.js';
import { PROXY_HOST } from '../tls/proxy-host.js';
import { askAtHost, cookieOf } from './at-host.js';

/** Requests of the web page behind a TLS proxy, with a session of its own. Fails if one is refused. */
export async function openWebSession({
  baseUrl,
  apiKey: key,
}: Pick<ServiceClient, 'baseUrl' | 'apiKey'>) {
  const headers: Record<string, string> = {
    ...{ host: PROXY_HOST, origin: `https://${PROXY_HOST}`, 'x-forwarded-proto': 'https' },
    ...{ 'content-type': 'application/json', 'x-vc-page': '1' },
  };
  headers.cookie = cookieOf(await askAtHost(`${baseUrl}/sessions`, 'POST', headers, { key }));
  return async (method: string, path: string, given: object = {}): Promise<Json> => {
    const body = method === 'POST' ? given : undefined;
    const { status, json } = await askAtHost(`${baseUrl}${path}`, method, headers, body);
    expect(status, `${method} ${path}`).toBe(200);
    return json;
  };
}
