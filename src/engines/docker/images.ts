import type Docker from 'dockerode';
import type { EngineImage } from '../engine.js';
import { ask, QUICK_MS } from './client.js';
import { imageTag, LABEL } from './ids.js';

/** The machine images that the Engine has, by their labels. */
export async function listImages(docker: Docker, signal?: AbortSignal): Promise<EngineImage[]> {
  const filters = { label: [LABEL.image] };
  const stored = await ask(QUICK_MS, signal, (abortSignal) =>
    docker.listImages({ filters, abortSignal }),
  );
  return stored.flatMap((image) => {
    const labels = image.Labels ?? {};
    const name = labels[LABEL.image];
    // An image that a newer one has replaced keeps its labels and loses its tag.
    if (name === undefined || !image.RepoTags?.includes(imageTag(name))) return [];
    const recipeHash = labels[LABEL.recipe];
    return [
      {
        name,
        os: labels[LABEL.os] === 'windows' ? ('windows' as const) : ('linux' as const),
        bytes: image.Size,
        createdAt: new Date(image.Created * 1000),
        ...(recipeHash ? { recipeHash } : {}),
      },
    ];
  });
}
