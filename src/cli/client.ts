import { Client, type ClientOptions } from '../client/client.js';
import { ServiceError } from '../client/errors.js';

/** A client that says who it is: the command line. Throws TypeError as {@link Client} does. */
export function openClient(options: Pick<ClientOptions, 'baseUrl' | 'apiKey'>): Client {
  return new Client({ ...options, userAgent: 'vc', connections: 'brief' });
}

/** Resolves when a service answers; throws ServiceUnreachableError or ServiceTimeoutError if none does. */
export async function checkReachable(client: Client, signal: AbortSignal): Promise<void> {
  await client.request('health', { timeoutMs: 5000, signal }).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
  });
}
