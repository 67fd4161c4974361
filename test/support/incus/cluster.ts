import type { Cluster } from '../../../src/engines/incus/client/cluster.js';
import { PROPERTY } from '../../../src/engines/incus/ids.js';
import { configureCluster } from '../../../src/engines/incus/setup/configure.js';
import { NAMES } from '../../../src/engines/incus/setup/objects.js';
import { ip, openMember, removeControlGroups } from './member.js';

/** The network between this host and the member. */
const NETWORK = '10.79.0';
const HOST = `${NETWORK}.254`;
/** Name of this host's interface to the member; at most 15 characters. */
const LINK = 'vctestlxd1';

export interface TestCluster {
  /** As its operator. */
  readonly operator: Cluster;
  /** A process in the network namespace of the member. */
  readonly pid: number;
  /** Gives a state directory access, as `vc setup` does. */
  setUp(stateDirectory: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a cluster of one member with its data in `directory`, which may be that of an earlier cluster.
 * Throws {@link NoServer} where the server cannot be started.
 */
export async function openTestCluster(directory: string): Promise<TestCluster> {
  const member = await openMember({
    ...{ directory, address: `${NETWORK}.1/24`, gateway: HOST },
    connect: connectToHost,
  });
  const { operator } = member;
  const close = async () => {
    await member.close();
    removeInterface();
    removeControlGroups();
  };
  try {
    await removeLeftovers(operator);
  } catch (error) {
    await close();
    throw error;
  }
  const setUp = async (stateDirectory: string) => {
    await listenOn(operator, `${NETWORK}.1:8443`);
    const poolConfig = { size: '16GiB' };
    await configureCluster(operator, { stateDirectory, poolDriver: 'btrfs', poolConfig });
  };
  return { operator, pid: member.pid, setUp, close };
}

/** Puts one end of a pair of interfaces into the member's network namespace. */
function connectToHost(pid: number): void {
  removeInterface();
  ip('link', 'add', LINK, 'type', 'veth', 'peer', 'name', 'e0', 'netns', `${pid}`);
  ip('address', 'add', `${HOST}/24`, 'dev', LINK);
  ip('link', 'set', LINK, 'up');
}

function removeInterface(): void {
  try {
    ip('link', 'delete', LINK);
  } catch {
    // It is gone with the namespace of its other end.
  }
}

/** Has a server listen on the address, unless it is a member of a cluster already. */
export async function listenOn(operator: Cluster, address: string): Promise<void> {
  const { environment } = await operator.ask<{ environment: { server_clustered: boolean } }>(
    '/1.0',
  );
  if (environment.server_clustered) return;
  const body = { config: { 'core.https_address': address } };
  await operator.run('/1.0', { method: 'PATCH', body });
}

/** Removes containers, volumes and saved disks of earlier runs, but not the image of computers. */
async function removeLeftovers(operator: Cluster): Promise<void> {
  const all = await operator.ask<{ name: string; status: string; project: string }[]>(
    '/1.0/instances?recursion=1&all-projects=true',
  );
  for (const { name, status, project } of all) {
    const path = `/1.0/instances/${name}`;
    const query = `?project=${project}`;
    if (status !== 'Stopped') {
      const body = { action: 'stop', force: true, timeout: 10 };
      await operator.run(`${path}/state${query}`, { method: 'PUT', body });
    }
    await operator.run(path + query, { method: 'DELETE' });
  }
  const { pool } = NAMES;
  const pools = await operator.ask<string[]>('/1.0/storage-pools');
  if (!pools.some((path) => path.endsWith(`/${pool}`))) return;
  const query = `project=${NAMES.project}`;
  const images = await operator.ask<{ fingerprint: string; properties: Record<string, string> }[]>(
    `/1.0/images?recursion=1&${query}`,
  );
  for (const { fingerprint, properties } of images) {
    if (properties[PROPERTY.saved] === undefined) continue;
    await operator.run(`/1.0/images/${fingerprint}?${query}`, { method: 'DELETE' });
  }
  const volumes = `/1.0/storage-pools/${pool}/volumes/custom`;
  for (const { name } of await operator.ask<{ name: string }[]>(
    `${volumes}?recursion=1&${query}`,
  )) {
    await operator.run(`${volumes}/${name}?${query}`, { method: 'DELETE' });
  }
}
