import type Docker from 'dockerode';
import type { EngineImage } from '../../engine.js';
import { imageTag, LABEL, repository, withoutRegistry } from '../ids.js';
import { queryImages } from '../requests.js';

/** A machine image in a Docker Engine. */
export interface ContainerImage extends EngineImage {
  /** The Engine's id, `sha256:…`. */
  readonly id: string;
  /** `vc/<name>:<tag>`. */
  readonly tags: readonly string[];
}

/**
 * Our images on this Engine, newest first. Requires the tag as well as the label: an image that was
 * committed from a computer inherits the labels and must not become the image of new computers.
 */
export async function listImages(docker: Docker, signal?: AbortSignal): Promise<ContainerImage[]> {
  // With the names: Podman takes 3 ms for each image that it describes, and snapshots have the label too.
  const filters = { label: [LABEL.image], reference: [repository('*')] };
  const stored = await queryImages(docker, filters, signal);
  return stored
    .map((image) => {
      const labels = image.Labels ?? {};
      const name = labels[LABEL.image] ?? '';
      const recipeHash = labels[LABEL.recipe];
      return {
        id: image.Id,
        name,
        os: labels[LABEL.os] === 'windows' ? ('windows' as const) : ('linux' as const),
        tags: (image.RepoTags ?? [])
          .map(withoutRegistry)
          .filter((tag) => tag.startsWith(`${repository(name)}:`)),
        bytes: image.Size,
        createdAt: new Date(image.Created * 1000),
        ...(recipeHash ? { recipeHash } : {}),
      };
    })
    .filter((image) => image.tags.length > 0)
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
}

/** The images that new computers are made from: those tagged `latest`. */
export async function currentImages(
  docker: Docker,
  signal?: AbortSignal,
): Promise<ContainerImage[]> {
  const images = await listImages(docker, signal);
  return images.filter(({ name, tags }) => tags.includes(imageTag(name)));
}
