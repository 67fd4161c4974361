import { buildImage } from '../../../src/engines/incus/images/manage.js';
import { withCluster } from '../../../src/engines/incus/open.js';

/** Imports the Linux image into the cluster of a state directory, unless it is there. */
export async function buildClusterImage(
  stateDirectory: string,
  say: (line: string) => void,
): Promise<void> {
  const startedAt = Date.now();
  await withCluster(stateDirectory, (cluster) => buildImage(cluster, { name: 'linux' }));
  say(`image ready after ${Math.round((Date.now() - startedAt) / 1000)} s`);
}
