import type { Health } from '../../contract/index.js';
import { openClient } from '../client.js';

/** The health of the service at `baseUrl`; undefined when none answers there. Needs no key. */
export async function serviceHealth(
  baseUrl: string,
  signal?: AbortSignal,
): Promise<Health | undefined> {
  const client = openClient({ baseUrl });
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
