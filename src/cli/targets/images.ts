import { ServiceUnreachableError } from '../../client/errors.js';
import type { ImageList } from '../../contract/resources.js';
import type { Context } from '../framework/context.js';
import { serviceHealth } from '../serve/health.js';
import { isLoopbackUrl } from '../serve/listen.js';
import { isNotFound, request } from './client.js';

/** The images of the service; of this machine's engines where no service runs on it. */
export async function listImages(context: Context): Promise<ImageList> {
  const { signal } = context.interrupts;
  const { baseUrl, apiKey } = await context.settings();
  const isHere = isLoopbackUrl(baseUrl.value);
  // Loaded only then: it has the engines.
  const local = async () => (await import('../images/local.js')).listLocalImages(context);
  if (isHere && apiKey === undefined) return local();
  return request(context, 'listImages').catch(async (error: unknown) => {
    const isAway = async () =>
      error instanceof ServiceUnreachableError ||
      // Another program answers there.
      (isNotFound(error) && (await serviceHealth(baseUrl.value, signal)) === undefined);
    if (isHere && (await isAway())) return local();
    throw error;
  });
}
