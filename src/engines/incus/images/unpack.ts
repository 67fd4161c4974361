import type { BuildOptions } from '../../../images/bootstrap.js';
import type { Cluster } from '../client/cluster.js';
import { readFacts } from '../client/facts.js';
import { listMembers } from '../client/members.js';
import { clusterErrorOf } from '../errors.js';
import { imageAlias } from '../ids.js';

const UNPACK_MS = 600_000;

/**
 * Has each member unpack an image, which it would otherwise do for its first machine: makes and
 * removes a container there. Members that are away do it later.
 */
export async function unpackOnMembers(
  cluster: Cluster,
  image: string,
  { signal, onProgress }: BuildOptions,
): Promise<void> {
  const { pool } = await readFacts(cluster, signal);
  const members = await listMembers(cluster, signal);
  const targets = members.filter(({ status }) => status === 'Online');
  onProgress?.('unpacking it on the members of the cluster');
  const names = targets.length === 0 ? [undefined] : targets.map(({ server_name }) => server_name);
  await Promise.all(names.map((name) => unpackOn(cluster, image, pool, name, signal)));
}

async function unpackOn(
  cluster: Cluster,
  image: string,
  pool: string,
  member: string | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const name = `unpack-${image}${member === undefined ? '' : `-${member}`}`.slice(0, 63);
  const body = {
    name,
    type: 'container',
    profiles: [],
    source: { type: 'image', alias: imageAlias(image) },
    config: {
      'security.idmap.isolated': 'true',
      'security.privileged': 'false',
      'security.nesting': 'false',
    },
    devices: { root: { type: 'disk', path: '/', pool } },
  };
  const target = member === undefined ? '' : `?target=${encodeURIComponent(member)}`;
  const remove = () => cluster.run(`/1.0/instances/${name}`, { method: 'DELETE', signal });
  try {
    await cluster.run(`/1.0/instances${target}`, { method: 'POST', body, ms: UNPACK_MS, signal });
    await remove();
  } catch (error) {
    // It is there from an attempt that was interrupted, or the first machine unpacks the image.
    if (clusterErrorOf(error) === undefined) throw error;
    await remove().catch(() => undefined);
  }
}
