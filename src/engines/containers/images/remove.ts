import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { LABEL } from '../ids.js';
import { listContainers } from '../list.js';
import { listImages } from './list.js';

/** Removes every tag of an image. Throws `conflict` and removes nothing while computers use it. */
export async function removeImage(
  docker: Docker,
  name: string,
  signal?: AbortSignal,
): Promise<void> {
  const images = (await listImages(docker, signal)).filter((image) => image.name === name);
  const filters = { ancestor: images.map(({ id }) => id) };
  const containers = await listContainers(docker, filters, signal);
  const users = containers.filter(
    ({ Labels, State }) =>
      !(LABEL.firewall in Labels) && !(Labels[LABEL.spare] && State === 'paused'),
  );
  if (users.length > 0) {
    const computers = users.length === 1 ? 'a computer' : `${users.length} computers`;
    throw new ApiError('conflict', `The image ${name} is in use by ${computers}.`, {
      remedy: 'delete the computers made from it first; see: vc ls --all',
    });
  }
  for (const tag of images.flatMap((image) => image.tags)) {
    // A container that keeps firewall rules may use the image, and machines of the warm pool, which are
    // not used any more; they keep running.
    await docker.getImage(tag).remove({ force: true });
  }
}
