import { constants } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../../../contract/errors.js';
import { canAccess } from '../../../lib/fs/access.js';
import type { Environment } from '../../descriptor.js';
import { Cluster } from '../client/cluster.js';

/** Where the servers listen for their operator. */
const SOCKETS = [
  '/var/lib/incus/unix.socket',
  '/run/incus/unix.socket',
  '/var/lib/lxd/unix.socket',
  '/var/snap/lxd/common/lxd/unix.socket',
];

/** The unix socket of the server on this host, whether this user may use it or not. */
export async function serverSocket(env: Environment): Promise<string | undefined> {
  const named = [env.INCUS_DIR, env.LXD_DIR].flatMap((each) =>
    each ? [join(each, 'unix.socket')] : [],
  );
  for (const path of named.length > 0 ? named : SOCKETS) if (await canAccess(path)) return path;
  return undefined;
}

/** The cluster as its operator, which only `vc setup` uses. */
export async function openAsOperator(env: Environment): Promise<Cluster> {
  const socketPath = await serverSocket(env);
  if (socketPath !== undefined && (await canAccess(socketPath, constants.R_OK | constants.W_OK))) {
    return new Cluster({ socketPath, project: 'default' });
  }
  const message = 'This user may not manage LXD or Incus on this machine.';
  const group = socketPath?.includes('incus') ? 'incus-admin' : 'lxd';
  const remedy = `sudo -g ${group} vc setup --engine incus`;
  throw new ApiError('engine_unavailable', message, { remedy });
}
