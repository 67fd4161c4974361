import type { EngineImage } from '../../engine.js';
import type { Cluster } from '../client/cluster.js';
import { imageAlias, PROPERTY } from '../ids.js';

interface StoredImage {
  readonly fingerprint: string;
  readonly size: number;
  readonly uploaded_at: string;
  readonly properties: Readonly<Record<string, string>> | null;
  readonly aliases: readonly { readonly name: string }[] | null;
}

/** A machine image in a cluster. */
export interface ClusterImage extends EngineImage {
  /** Its fingerprint. */
  readonly id: string;
  /** New machines are made from it. */
  readonly isCurrent: boolean;
}

/** Our images in the cluster's project. */
export async function listImages(cluster: Cluster, signal?: AbortSignal): Promise<ClusterImage[]> {
  const stored = await cluster.ask<StoredImage[]>('/1.0/images?recursion=1', { signal });
  return stored.flatMap(({ fingerprint, size, uploaded_at, properties, aliases }) => {
    const { [PROPERTY.name]: name, [PROPERTY.recipe]: recipeHash } = properties ?? {};
    if (name === undefined || recipeHash === undefined) return [];
    const image: ClusterImage = {
      id: fingerprint,
      name,
      recipeHash,
      bytes: size,
      os: properties?.[PROPERTY.os] === 'windows' ? 'windows' : 'linux',
      createdAt: new Date(uploaded_at),
      isCurrent: (aliases ?? []).some((alias) => alias.name === imageAlias(name)),
    };
    return [image];
  });
}

export async function currentImages(
  cluster: Cluster,
  signal?: AbortSignal,
): Promise<ClusterImage[]> {
  return (await listImages(cluster, signal)).filter(({ isCurrent }) => isCurrent);
}
