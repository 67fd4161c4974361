import type { ImageList } from '../../contract/resources.js';
import { listStoredImages } from '../../engines/stored-images.js';
import { stateDirectory } from '../../profile/index.js';
import type { Context } from '../framework/context.js';
import { localEngines } from '../targets/local-engines.js';

/** The images of this machine's engines, without a service. */
export async function listLocalImages({ env, interrupts }: Context): Promise<ImageList> {
  return listStoredImages(await localEngines(stateDirectory(env)), interrupts.signal);
}
