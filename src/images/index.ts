export type { BuildOptions } from './bootstrap.js';
export { buildImage, type ImageOptions } from './build.js';
export { defaultCacheDirectory } from './cache.js';
export { type BuiltDisk, buildDisk, type DiskOptions, findBuiltDisk } from './disk.js';
export {
  buildDockerfile,
  type DockerImage,
  findImage,
  importRootfs,
  LABELS,
  listImages,
} from './docker.js';
export {
  listRecipes,
  loadRecipe,
  loadVmRecipe,
  type Recipe,
  recipeHash,
  type VmRecipe,
} from './recipe.js';
export { buildRootfs, type Rootfs, type RootfsOptions } from './rootfs.js';
