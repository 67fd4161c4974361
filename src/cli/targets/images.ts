import type { ImageList } from '../../contract/resources.js';
import { listStoredImages } from '../../engines/stored-images.js';
import { stateDirectory } from '../../profile/index.js';
import type { Context } from '../framework/context.js';
import { serviceHealth } from '../serve/health.js';
import { isLoopbackUrl } from '../serve/listen.js';
import { localEngines } from './local-engines.js';

/** The images of the service; of this machine's engines where no service answers on it. */
export async function listImages(context: Context): Promise<ImageList> {
  const { signal } = context.interrupts;
  const { baseUrl, apiKey } = await context.settings();
  const asksService =
    !isLoopbackUrl(baseUrl.value) ||
    (apiKey !== undefined && (await serviceHealth(baseUrl.value, signal)) !== undefined);
  if (asksService) return (await context.client()).request('listImages', { signal });
  return listStoredImages(await localEngines(stateDirectory(context.env)), signal);
}
