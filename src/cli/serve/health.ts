import type { Health } from '../../contract/index.js';
import { openClient } from '../targets/client.js';

/**
 * The health of the service at `baseUrl`; undefined if none answers. Without a key its version and
 * details are empty.
 */
export async function serviceHealth(
  baseUrl: string,
  signal?: AbortSignal,
  credentials: Omit<Parameters<typeof openClient>[0], 'baseUrl'> = {},
): Promise<Health | undefined> {
  const client = openClient({ baseUrl, ...credentials });
  try {
    const health = await client.request('health', { timeoutMs: 5000, signal });
    const isOurs = typeof health.version === 'string' && Array.isArray(health.engines);
    return isOurs ? health : undefined;
  } catch (error) {
    signal?.throwIfAborted();
    void error;
    return undefined;
  } finally {
    await client.close();
  }
}

/** The health with its details if there is a key, and the service may have it. */
export async function healthInDetail(
  { baseUrl, ...credentials }: Parameters<typeof openClient>[0],
  signal: AbortSignal,
): Promise<Health | undefined> {
  const health = await serviceHealth(baseUrl, signal);
  if (health === undefined || credentials.apiKey === undefined) return health;
  return (await serviceHealth(baseUrl, signal, credentials)) ?? health;
}
