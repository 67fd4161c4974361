import type Docker from 'dockerode';
import { loadRecipe } from '../../../images/recipe.js';
import { buildRootfs, type RootfsOptions } from '../../../images/rootfs.js';
import type { ContainerImage } from './list.js';
import { buildDockerfile, importRootfs } from './store.js';

export interface ImageBuild extends RootfsOptions {
  readonly name: string;
  /**
   * `dockerfile`: the Engine builds it from Debian's image, on any host. Otherwise the root file
   * system is built here and imported, which needs no registry.
   */
  readonly method?: string;
}

/** Builds the root file system that {@link buildImage} imports. */
export async function prepareImage({ name, ...options }: ImageBuild): Promise<void> {
  await buildRootfs(await loadRecipe(name), options);
}

/** Builds a machine image in a Docker Engine. Idempotent. */
export async function buildImage(docker: Docker, request: ImageBuild): Promise<ContainerImage> {
  const recipe = await loadRecipe(request.name);
  if (request.method === 'dockerfile') return buildDockerfile(docker, recipe, request);
  const { tarball } = await buildRootfs(recipe, request);
  return importRootfs(docker, tarball, recipe, request);
}
