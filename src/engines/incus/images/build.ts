import { loadRecipe } from '../../../images/recipe.js';
import { buildRootfs, type RootfsOptions } from '../../../images/rootfs.js';
import type { Cluster } from '../client/cluster.js';
import { clusterErrorOf } from '../errors.js';
import { imageAlias } from '../ids.js';
import { isMissing } from '../machine/instances.js';
import { type ClusterImage, listImages } from './list.js';
import { initEntry, metadataArchive } from './metadata.js';
import { imageHash } from './recipe-hash.js';
import { unpackOnMembers } from './unpack.js';
import { uploadImage } from './upload.js';

export interface ClusterBuild extends RootfsOptions {
  readonly name: string;
}

/** Builds a machine image in a cluster. Idempotent. */
export async function buildImage(cluster: Cluster, request: ClusterBuild): Promise<ClusterImage> {
  const { name, signal, onProgress } = request;
  const recipe = await loadRecipe(name);
  const hash = await imageHash(name);
  const find = async () => {
    const images = (await listImages(cluster, signal)).filter((image) => image.name === name);
    return { images, found: images.find(({ recipeHash }) => recipeHash === hash) };
  };
  if ((await find()).found === undefined) {
    const { tarball } = await buildRootfs(recipe, request);
    onProgress?.('sending it to the cluster');
    const metadata = metadataArchive(recipe, hash);
    await uploadImage(cluster, { metadata, before: initEntry(), tarball }, signal);
  }
  const { images, found } = await find();
  if (found === undefined) throw new Error(`The cluster does not list the new image ${name}.`);
  if (!found.isCurrent) {
    await setAlias(cluster, name, found.id, signal);
    await unpackOnMembers(cluster, name, request);
  }
  for (const { id } of images) if (id !== found.id) await removeOlder(cluster, id, signal);
  return found;
}

async function setAlias(
  cluster: Cluster,
  name: string,
  target: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const alias = imageAlias(name);
  const path = `/1.0/images/aliases/${alias}`;
  await cluster.run(path, { method: 'PUT', body: { target }, signal }).catch(async (error) => {
    if (!isMissing(error)) throw error;
    const body = { name: alias, target };
    await cluster.run('/1.0/images/aliases', { method: 'POST', body, signal });
  });
}

/** Machines do not need the image that they were made from. A member that is away keeps it. */
async function removeOlder(
  cluster: Cluster,
  id: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await cluster.run(`/1.0/images/${id}`, { method: 'DELETE', signal }).catch((error) => {
    if (clusterErrorOf(error) === undefined) throw error;
  });
}
