export type { BuildOptions } from './bootstrap.js';
export { buildImage, type ImageOptions } from './build.js';
export { defaultCacheDirectory } from './cache.js';
export {
  buildDockerfile,
  type DockerImage,
  findImage,
  importRootfs,
  LABELS,
  listImages,
} from './docker.js';
export { listRecipes, loadRecipe, type Recipe, recipeHash } from './recipe.js';
export { buildRootfs, type Rootfs, type RootfsOptions } from './rootfs.js';
