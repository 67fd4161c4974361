import type { Recipe } from '../../../images/recipe.js';
import { loadRecipe } from '../../../images/recipe.js';
import { buildRootfs, type RootfsOptions } from '../../../images/rootfs.js';
import type { BuildRequest } from '../../descriptor.js';
import type { EngineImage } from '../../engine.js';
import { TAR_END, tarEntry } from '../../tar.js';
import type { Cluster } from '../client/cluster.js';
import { clusterErrorOf } from '../errors.js';
import { imageAlias, PROPERTY } from '../ids.js';
import { isMissing } from '../machine/instances.js';
import { withCluster } from '../open.js';
import { INIT_SCRIPT } from './init-script.js';
import { type ClusterImage, listImages } from './list.js';
import { imageHash } from './recipe-hash.js';
import { removeImage } from './remove.js';
import { unpackOnMembers } from './unpack.js';
import { uploadImage } from './upload.js';

/** Debian's name of this machine's architecture is that of LXD, but for the most common one. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };

/** The first part of an image: an archive with `metadata.yaml`. */
export function metadataArchive(recipe: Pick<Recipe, 'name' | 'os'>, hash: string): Buffer {
  const properties = {
    description: `vc ${recipe.name}`,
    os: 'Debian',
    [PROPERTY.name]: recipe.name,
    [PROPERTY.recipe]: hash,
    [PROPERTY.os]: recipe.os,
  };
  const metadata = {
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
    creation_date: Math.floor(Date.now() / 1000),
    properties,
    templates: {},
  };
  // JSON is YAML.
  const text = Buffer.from(`${JSON.stringify(metadata)}\n`);
  return Buffer.concat([tarEntry('metadata.yaml', 0o644, 0, text), TAR_END]);
}

/** What is put before a root file system's archive: the first process of its containers. */
export function initEntry(): Buffer {
  return tarEntry('./usr/sbin/init', 0o755, 0, Buffer.from(INIT_SCRIPT));
}

export function build(stateDirectory: string, request: BuildRequest): Promise<EngineImage> {
  return withCluster(stateDirectory, (cluster) => buildImage(cluster, request));
}

export function remove(stateDirectory: string, name: string, signal: AbortSignal): Promise<void> {
  return withCluster(stateDirectory, (cluster) => removeImage(cluster, name, signal));
}

interface ClusterBuild extends RootfsOptions {
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
