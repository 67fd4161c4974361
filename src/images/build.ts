import type Docker from 'dockerode';
import { buildDockerfile, type DockerImage, importRootfs } from './docker.js';
import { loadRecipe } from './recipe.js';
import { buildRootfs, type RootfsOptions } from './rootfs.js';

export interface ImageOptions extends RootfsOptions {
  /** The Engine that gets the image. */
  readonly docker: Docker;
  /**
   * `bootstrap` (the default) builds the file system here and sends it to the Engine, so that no
   * registry is needed. `dockerfile` has the Engine build it, on any host, from Debian's image.
   */
  readonly method?: 'bootstrap' | 'dockerfile' | undefined;
}

/** Makes the machine image called `name` and gives it to a Docker Engine. Idempotent. */
export async function buildImage(name: string, options: ImageOptions): Promise<DockerImage> {
  const recipe = await loadRecipe(name);
  if (options.method === 'dockerfile') {
    return buildDockerfile(options.docker, recipe, options);
  }
  const { tarball } = await buildRootfs(recipe, options);
  return importRootfs(options.docker, tarball, recipe, options);
}
