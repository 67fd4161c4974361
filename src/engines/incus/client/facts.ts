import { ApiError } from '../../../contract/errors.js';
import { PROJECT_KEY } from '../ids.js';
import { parseSubnet, type Subnet } from '../machine/addresses.js';
import type { Cluster } from './cluster.js';

/** `GET /1.0`, as far as it is read. */
export interface ServerInfo {
  /** `trusted`, unless the cluster does not know the client's certificate. */
  readonly auth: string;
  readonly api_extensions: readonly string[];
  readonly environment?: {
    /** `lxd` or `incus`. */
    readonly server?: string;
    readonly server_version?: string;
    readonly server_clustered?: boolean;
  };
}

export interface ProjectInfo {
  readonly config: Readonly<Record<string, string>>;
}

/** What the engine has to know of a cluster to make machines. */
export interface ClusterFacts {
  readonly pool: string;
  readonly network: string;
  readonly subnet: Subnet;
  /** Configuration of instances that LXD and Incus name or treat differently. */
  readonly serverConfig: Readonly<Record<string, string>>;
  /** Whether an instance that the server moves to another member keeps its user ids. */
  readonly keepsIds: boolean;
  readonly program: OperatorProgram;
}

/** The command line of the operator. */
export type OperatorProgram = 'lxc' | 'incus';

/** Reads the facts, which `vc setup` wrote into the cluster's project. */
export async function readFacts(cluster: Cluster, signal?: AbortSignal): Promise<ClusterFacts> {
  const [info, { config }] = await Promise.all([
    cluster.ask<ServerInfo>('/1.0', { signal }),
    readProject(cluster, signal),
  ]);
  const { [PROJECT_KEY.pool]: pool, [PROJECT_KEY.network]: network } = config;
  const subnet = parseSubnet(config[PROJECT_KEY.gateway] ?? '');
  if (pool === undefined || network === undefined || subnet === undefined) {
    const message = `The project "${cluster.project}" of the cluster is not set up for vc.`;
    const remedy = 'vc setup --engine incus';
    throw new ApiError('engine_unavailable', message, { remedy });
  }
  const keepsIds = info.environment?.server === 'incus';
  const program = operatorProgram(info);
  return { pool, network, subnet, serverConfig: serverConfig(info), keepsIds, program };
}

export function operatorProgram({ environment }: ServerInfo): OperatorProgram {
  return environment?.server === 'incus' ? 'incus' : 'lxc';
}

export function readProject(cluster: Cluster, signal?: AbortSignal): Promise<ProjectInfo> {
  return cluster.ask(`/1.0/projects/${cluster.project}`, { signal });
}

/**
 * Keeps guests away from the API of their host, and from its swap space. Incus refuses the key for swap
 * space in a restricted project, and gives none to a container whose memory has a limit.
 */
export function serverConfig({ environment }: ServerInfo): ClusterFacts['serverConfig'] {
  return environment?.server === 'incus'
    ? { 'security.guestapi': 'false' }
    : { 'security.devlxd': 'false', 'limits.memory.swap': 'false' };
}
