import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import Docker from 'dockerode';
import { untyped } from '../containers/client.js';
import { type Dialect, type Limits, type NetworkSpec, speak } from '../containers/dialect.js';
import { messageOf } from '../containers/errors.js';
import type { MachineUsage } from '../engine.js';
import { importRootfs } from './import.js';
import { limitInotify } from './inotify.js';
import { PodmanService } from './service.js';

/**
 * User ids of a container. Podman gives each container a range of the ids of the user `containers`
 * in /etc/subuid.
 */
const IDS_OF_A_CONTAINER = 65_536;
/** Without CAP_SYS_RESOURCE, Podman cannot give a container its own default limits, which are higher. */
const ULIMITS = ['nofile', 'nproc'].map((Name) => ({ Name, Soft: 16_384, Hard: 16_384 }));

/** Capabilities that Podman may give a container by default. */
const CAPABILITIES = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'NET_RAW',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
];

const LOG_CONFIG = { Type: 'k8s-file', Config: { 'max-size': '1m' } };

const STATIC = {
  name: 'podman',
  title: 'Podman',
  engine: 'Podman service',
  program: 'podman',
  silent: { reason: 'its API service does not run', remedy: 'vc doctor' },
  denied: { reason: 'its socket belongs to another user', remedy: 'run vc as that user' },
  restart: 'vc service restart',
  mapsUsers: true,
  hasResolver: false,
  mountsToCommit: false,
  readsImports: true,
  needsNetworkFirst: true,
  // By Podman's service, both take seconds: it asks the package manager for its programs' versions.
  version: async (docker, abortSignal) => {
    await untyped(docker).ping({ abortSignal });
    return { Version: await installedVersion(), Os: 'linux' };
  },
  // While its files are removed and it is still in the database: for good, if that was interrupted.
  halfRemoved: (error) =>
    /container from store "(\w+)": container not known/.exec(messageOf(error))?.[1],
  imageRemoved: (error) => /image not known$/.test(messageOf(error)),
  facts: async () => ({ cpus: availableParallelism(), isRemapped: false }),
  ulimits: ULIMITS,
  logConfig: LOG_CONFIG,
  adapt,
  started: limitInotify,
  setLimits,
  firstHostId,
  createNetwork,
  usage,
} as const satisfies Dialect;

/** By state directory: this process starts one service for each. */
const clients = new Map<string, Docker>();

/**
 * A client of the Podman service at `CONTAINER_HOST`, by default of this process's own, which is
 * started at the first request.
 */
export function connectPodman(stateDirectory: string): Docker {
  const given = process.env.CONTAINER_HOST;
  if (given) return speak(new Docker({ socketPath: given.replace('unix://', '') }), STATIC);
  const found = clients.get(stateDirectory);
  if (found !== undefined) return found;
  const service = new PodmanService(stateDirectory);
  const docker = new Docker({ socketPath: service.socket });
  const own = { ready: () => service.ready(), close: () => service.close(), importRootfs };
  const dialect = { ...STATIC, ...own };
  clients.set(stateDirectory, speak(docker, dialect));
  return docker;
}

async function installedVersion(): Promise<string> {
  const { stdout } = await promisify(execFile)('podman', ['--version']);
  return /\d[\d.]*/.exec(stdout)?.[0] ?? 'unknown';
}

function adapt(config: ContainerCreateOptions): ContainerCreateOptions {
  // Podman leaves health checks to systemd.
  const { HostConfig = {}, Healthcheck: _, ...others } = config;
  return {
    ...others,
    // Otherwise it is the host's /dev/null, and crun before 1.24 changes its owner to the container's root.
    OpenStdin: true,
    HostConfig: {
      ...HostConfig,
      ...capabilities(HostConfig),
      UsernsMode: `auto:size=${IDS_OF_A_CONTAINER}`,
      Ulimits: [...(HostConfig.Ulimits ?? []).filter(({ Name }) => Name === 'core'), ...ULIMITS],
      Tmpfs: Object.fromEntries(
        Object.entries(HostConfig.Tmpfs ?? {}).map(([path, options]) => [path, known(options)]),
      ),
      LogConfig: LOG_CONFIG,
    },
  };
}

/**
 * Podman gives a capability that is asked for to every program of the user, in place of those that
 * become root. So the others of its default are dropped instead.
 */
function capabilities({ CapAdd, CapDrop }: HostConfig): HostConfig {
  if (!CapAdd?.length) return { CapAdd: [], CapDrop };
  return { CapAdd: [], CapDrop: CAPABILITIES.filter((name) => !CapAdd.includes(name)) };
}

/** Podman knows no owner and no number of inodes; the directory is in a file system of its own. */
function known(options: string): string {
  return options
    .split(',')
    .filter((option) => !/^(uid|gid|nr_inodes)=/.test(option))
    .map((option) => (option === 'mode=0700' ? 'mode=1777' : option))
    .join(',');
}

/**
 * By Podman's own API: with Docker's a network gets a name server on the bridge's address, which the
 * rules of the network do not let computers reach.
 */
function createNetwork(
  docker: Docker,
  { name, bridge, subnet, mtu, labels }: NetworkSpec,
  abortSignal: AbortSignal,
): Promise<unknown> {
  const network = {
    name,
    driver: 'bridge',
    network_interface: bridge,
    dns_enabled: false,
    subnets: [{ subnet }],
    ...(mtu !== undefined && { options: { mtu: `${mtu}` } }),
    labels,
  };
  return post(docker, '/networks/create', network, abortSignal);
}

/** Microseconds in which a container may use its processor time. */
const PERIOD = 100_000;

/** By Podman's own API, since version 4.3 has no other. It forgets them when the container stops. */
function setLimits(
  docker: Docker,
  container: string,
  { shares, cpus, memory }: Limits,
  abortSignal: AbortSignal,
): Promise<unknown> {
  const resources = {
    cpu: { shares, ...(cpus && { quota: cpus * PERIOD, period: PERIOD }) },
    ...(memory && { memory: { limit: memory, swap: memory } }),
  };
  return post(docker, `/containers/${container}/update`, resources, abortSignal);
}

/** By Podman's own API: Docker's does not tell. */
async function firstHostId(
  docker: Docker,
  container: string,
  abortSignal: AbortSignal,
): Promise<number> {
  const found = await ask(docker, 'GET', `/containers/${container}/json`, abortSignal);
  const { IDMappings } = (found as { readonly HostConfig: { readonly IDMappings?: IdMappings } })
    .HostConfig;
  // From the first id in the container, the first on the host, how many.
  const [root] = (IDMappings?.UidMap ?? []).map((line) => line.split(':').map(Number));
  if (root?.[0] !== 0 || root[1] === undefined || root[2] !== IDS_OF_A_CONTAINER) {
    throw new Error('the container has no range of user ids of its own');
  }
  return root[1];
}

/** By Podman's own API: with Docker's, Podman takes several times the processor time. */
async function usage(
  docker: Docker,
  container: string,
  abortSignal: AbortSignal,
): Promise<MachineUsage | undefined> {
  const query = { containers: container, stream: false };
  // The question mark makes the client send a query.
  const answer = await ask(docker, 'GET', '/containers/stats?', abortSignal, query);
  const { Stats } = answer as ContainerStats;
  const stats = Stats?.[0];
  return stats && { cpuSeconds: stats.CPUNano / 1e9, memoryBytes: stats.MemUsage };
}

interface ContainerStats {
  /** Null for a container that does not run. */
  readonly Stats: readonly { readonly CPUNano: number; readonly MemUsage: number }[] | null;
}

interface IdMappings {
  readonly UidMap: readonly string[];
}

function post(
  docker: Docker,
  path: string,
  options: object,
  abortSignal: AbortSignal,
): Promise<unknown> {
  return ask(docker, 'POST', path, abortSignal, options);
}

/** Sends a request of Podman's own API. */
function ask(
  docker: Docker,
  method: 'GET' | 'POST',
  path: string,
  abortSignal: AbortSignal,
  options: object = {},
): Promise<unknown> {
  const failures = { 400: 'bad request', 404: 'not found', 409: 'conflict', 500: 'server error' };
  const statusCodes = { 200: true, 201: true, ...failures };
  const request = { path: `/v4.3.0/libpod${path}`, method, options, abortSignal };
  return new Promise((resolve, reject) => {
    untyped(docker).modem.dial({ ...request, statusCodes }, (error, answer) =>
      error ? reject(error) : resolve(answer),
    );
  });
}
