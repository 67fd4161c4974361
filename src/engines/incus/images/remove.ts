import type { Cluster } from '../client/cluster.js';
import { listImages } from './list.js';

/** Removes every version of an image. Machines made from it do not need it. */
export async function removeImage(
  cluster: Cluster,
  name: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const { id, ...image } of await listImages(cluster, signal)) {
    if (image.name === name) await cluster.run(`/1.0/images/${id}`, { method: 'DELETE', signal });
  }
}
