import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { LABEL } from '../ids.js';
import { listContainers, queryImages } from '../requests.js';
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
  // The image is gone; the next call tries again.
  await removeUntagged(docker, signal).catch(() => undefined);
}

/** An image that is being imported has no tag for a moment. */
const YOUNG_S = 10 * 60;

/**
 * Removes machine images that lost their tags while a container used them: one that keeps firewall
 * rules, or one of the warm pool. What is still used stays.
 */
export async function removeUntagged(docker: Docker, signal?: AbortSignal): Promise<void> {
  const filters = { dangling: ['true'], label: [LABEL.recipe] };
  const found = await queryImages(docker, filters, signal);
  for (const { Id, Created, Labels } of found) {
    // One made from a container, such as a saved disk, has the labels of its image too.
    const isCommitted = Labels?.[LABEL.service] !== undefined || Labels?.[LABEL.firewall];
    if (isCommitted || Created > Date.now() / 1000 - YOUNG_S) continue;
    await docker
      .getImage(Id)
      .remove()
      .catch(() => undefined);
  }
}
