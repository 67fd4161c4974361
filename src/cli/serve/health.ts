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
