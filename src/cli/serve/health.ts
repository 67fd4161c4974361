import { ServiceTimeoutError } from '../../client/errors.js';
import type { Health } from '../../contract/index.js';
import { type ClientSettings, openClient } from '../targets/client.js';

const TIMEOUT_MS = 5_000;

/** What answers at a base URL. `silent`: connections are accepted, and nothing answers. */
type HealthAnswer = Health | 'silent' | undefined;

/** Asks for the health; undefined if no service answers. Without a key its version is empty. */
export async function askHealth(
  baseUrl: string,
  signal?: AbortSignal,
  credentials: Omit<Parameters<typeof openClient>[0], 'baseUrl'> = {},
): Promise<HealthAnswer> {
  const client = openClient({ baseUrl, ...credentials });
  try {
    const health = await client.request('health', { timeoutMs: TIMEOUT_MS, signal });
    const isOurs = typeof health.version === 'string' && Array.isArray(health.engines);
    return isOurs ? health : undefined;
  } catch (error) {
    signal?.throwIfAborted();
    return error instanceof ServiceTimeoutError ? 'silent' : undefined;
  } finally {
    await client.close();
  }
}

/**
 * The health of the service at `baseUrl`; undefined if none answers. Without a key its version and
 * details are empty.
 */
export async function serviceHealth(
  baseUrl: string,
  signal?: AbortSignal,
  trust: Pick<ClientSettings, 'ca'> = {},
): Promise<Health | undefined> {
  const answer = await askHealth(baseUrl, signal, trust);
  return answer === 'silent' ? undefined : answer;
}

/** The health with its details if there is a key, and the service may have it. */
export async function healthInDetail(
  { baseUrl, ...credentials }: Parameters<typeof openClient>[0],
  signal: AbortSignal,
): Promise<HealthAnswer> {
  const health = await askHealth(baseUrl, signal, { ca: credentials.ca });
  if (typeof health !== 'object' || credentials.apiKey === undefined) return health;
  const detailed = await askHealth(baseUrl, signal, credentials);
  return typeof detailed === 'object' ? detailed : health;
}
