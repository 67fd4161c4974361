import { dirname, join } from 'node:path';
import type Docker from 'dockerode';
import type { ApiError } from '../../contract/errors.js';
import { recipeHash } from '../../images/recipe.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type { ServiceSettings } from '../descriptor.js';
import type {
  Connecting,
  Engine,
  MachineDescription,
  MachineEvent,
  MachineNetworks,
  MachineState,
  Measuring,
  Mounting,
  Probe,
  Restricting,
  Snapshotting,
} from '../engine.js';
import type { Reserving } from '../pool/reserving.js';
import { isRemote } from './client.js';
import { dialectOf } from './dialect.js';
import { Helpers } from './helper.js';
import { LABEL } from './ids.js';
import { currentImages } from './images/list.js';
import { removeUntagged } from './images/remove.js';
import { ContainerMachines } from './machine/container-machines.js';
import { containerDiskUsage, containerUsage } from './machine/container-usage.js';
import { Containers } from './machine/containers.js';
import { SocketDirectories } from './machine/directory.js';
import { execStream } from './machine/exec-stream.js';
import { HostNames } from './machine/host-names.js';
import { listMachines } from './machine/status.js';
import { watchMachines } from './machine/watch.js';
import { removeAbandoned } from './network/abandoned.js';
import { Firewall } from './network/firewall.js';
import { Networks } from './network/network.js';
import { SUBNET_POOL, Subnets } from './network/subnets.js';
import { watchFirewall } from './network/watch.js';
import { ContainerPool } from './pool/container-pool.js';
import { Markers } from './pool/markers.js';
import { probeEngine } from './probe.js';
import { inspectContainer } from './requests.js';
import { SavedDisks } from './saved/saved-disks.js';
import { Saves } from './saved/saves.js';
import { MachineSockets } from './screen/machine-sockets.js';
import { Screens } from './screen/screens.js';
import { SOCKET_DIRECTORY } from './screen/socket.js';
import { Volumes } from './volumes/volumes.js';

export interface ContainerEngineOptions {
  /** A client with its dialect. */
  readonly docker: Docker;
  /** The installation's id: machines of other installations are never listed or changed. */
  readonly serviceId: string;
  /** Parent of the machines' socket directories, created with mode 0700. Guests can write there. */
  readonly directory: string;
  /** Lets the guest's user become root in its container. */
  readonly allowSudo: boolean;
  /** May machines reach the public internet? */
  readonly internet: boolean;
  /** Further IPv4 networks that machines may reach; `0.0.0.0/0` allows everything. */
  readonly allowNetworks: readonly string[];
  /** What single machines may reach at present. */
  networks(): MachineNetworks;
  /** Disk quota in GiB, if the storage driver supports quotas (xfs, btrfs, zfs); default 64. */
  readonly diskGib?: number;
  /** The warm pool; none by default. */
  readonly pool?: {
    /** How many machines are kept. */
    readonly size: number;
  } & Pick<ServiceSettings, 'identify' | 'prepare' | 'discard'>;
  /** Receives one line about each failure in the background. */
  onProblem?(message: string): void;
}

/** Serves one SSH connection, with a time limit for the login. */
const SSHD = '/usr/lib/vc/sshd';

/** An image for Windows runs its programs on Wine; containers inherit the image's labels. */
async function describe(
  docker: Docker,
  name: string,
  signal: AbortSignal | undefined,
): Promise<MachineDescription> {
  const { Config } = await inspectContainer(docker, name, signal);
  const programs = Config.Labels?.[LABEL.os] === 'windows' ? 'wine' : 'x11';
  const shell = { user: 'user' };
  return { isolation: 'container', pixels: 'raw', shell, programs };
}

function unusable({ message, remedy }: ApiError): Probe {
  return { usable: false, reason: message.replace(/\.$/, ''), remedy: remedy ?? 'vc doctor' };
}

/** What a service without a warm pool never asks for. */
const NO_POOL = {
  size: 0,
  identify: () => {
    throw new Error('the engine has no warm pool');
  },
  prepare: async () => undefined,
  discard: () => undefined,
};

/** Machines as containers of an engine that speaks Docker's API. */
export function createContainerEngine(
  options: ContainerEngineOptions,
): Engine & Measuring & Mounting & Connecting & Reserving & Restricting & Snapshotting {
  const { docker } = options;
  const { name } = dialectOf(docker);
  const { serviceId, allowNetworks, internet } = options;
  const containers = new Containers(docker, serviceId);
  const helper = new Helpers(docker, serviceId);
  const firewall = new Firewall(docker, helper, {
    ...{ serviceId, allowNetworks, internet },
    networks: () => options.networks(),
  });
  const shared = !isRemote(docker) && process.platform === 'linux';
  const directories = shared ? new SocketDirectories(options.directory) : undefined;
  const onProblem = (message: string) => options.onProblem?.(message);
  const hostNames = new HostNames({ docker, helper, onProblem });
  const disks = new SavedDisks(docker, serviceId);
  const volumes = new Volumes(docker, dirname(options.directory));
  const saves = new Saves({ docker, serviceId, containers, disks });
  const machines = new ContainerMachines({
    docker,
    serviceId,
    disks,
    saves,
    containers,
    networks: new Networks(docker, serviceId, new Subnets(SUBNET_POOL)),
    firewall,
    helper,
    hostNames,
    directories,
    volumes,
    allowSudo: options.allowSudo,
    resolvesNames: internet || allowNetworks.length > 0,
    diskGib: options.diskGib ?? 64,
  });
  const sockets = new MachineSockets({ docker, containers, directories });
  const screens = new Screens({ docker, containers, sockets });
  const dial: Engine['dial'] = async (id, channel, signal) => {
    if (channel === 'screen') return screens.dial(id, signal);
    return execStream(docker, await containers.id(id, signal), [SSHD], signal);
  };
  const markers = new Markers(join(dirname(options.directory), 'spares'));
  const remove = async (id: string, signal?: AbortSignal) => {
    await machines.remove(id, signal);
    await markers.remove(id);
    for (const each of [sockets, hostNames, pool]) each.forget(id);
  };
  const pool = new ContainerPool({
    docker,
    machines,
    containers,
    hostNames,
    markers,
    remove,
    onProblem,
    ...(options.pool ?? NO_POOL),
  });
  /** Machines stopped by us: ignore their exit code. */
  const ended = new Set<string>();
  /** Machines whose container is being made again, or was: its removal is not the machine's. */
  const resets = new Map<string, 'running' | 'done'>();
  const isReset = async (id: string, signal: AbortSignal) =>
    resets.get(id) === 'running' ||
    (resets.has(id) && (await containers.list(id, signal)).length > 0);
  /** Set by `watch`, once: only a service that hosts machines may remove what another left. */
  let cleanUp: Promise<void> | undefined;
  const cleanUpDisks = async (signal: AbortSignal) => {
    await saves.cleanUp(signal);
    await disks.collect(signal);
  };
  const withoutExpected = <S extends MachineEvent>(state: S): S | MachineState =>
    state.status === 'error' && ended.has(state.id) ? { id: state.id, status: 'stopped' } : state;

  return {
    name,
    capabilities: { os: ['linux', 'windows'], gpus: [], isolation: 'container' },
    describe: async (id, signal) => describe(docker, await containers.id(id, signal), signal),
    probe: async (signal) => {
      const probe = await probeEngine(docker, signal);
      return probe.usable && firewall.problem ? unusable(firewall.problem) : probe;
    },
    create: async (spec, signal) => {
      hostNames.set(spec.id, spec.hostName);
      if (!pool.claim(spec)) await machines.create(spec, signal);
    },
    start: async (id, signal) => {
      ended.delete(id);
      await machines.start(id, signal);
      pool.started(id);
    },
    resize: (id, size, signal) => machines.resize(id, size, signal),
    setHostName: async (id, hostName) => hostNames.set(id, hostName),
    reserve: (spec) => pool.reserve(spec),
    release: (id) => pool.release(id),
    forgetOwner: (ownerId) => pool.forgetOwner(ownerId),
    stop: (id, graceMs, signal) => {
      ended.add(id);
      return machines.stop(id, graceMs, signal);
    },
    remove: async (id, signal) => {
      await remove(id, signal);
      ended.delete(id);
      resets.delete(id);
    },
    save: (id, request, signal) => saves.save(id, request, signal),
    savedDisks: (signal) => disks.list(signal),
    removeSaved: async (id, signal) => {
      await pool.forgetDisk(id);
      await disks.remove(id, signal);
    },
    reset: async (spec, signal) => {
      const { id, hostName } = spec;
      ended.add(id);
      resets.set(id, 'running');
      hostNames.set(id, hostName);
      try {
        await machines.reset(spec, signal);
      } finally {
        for (const each of [sockets, pool]) each.forget(id);
        resets.set(id, 'done');
      }
      // Its container has another id.
      await containers.list(id, signal);
      // The next removal repeats it.
      await disks.collectWaiting(signal).catch(() => undefined);
    },
    list: async (signal) =>
      (await listMachines(docker, serviceId, signal))
        .filter(({ id }) => !pool.hides(id))
        .map(withoutExpected),
    async *watch(signal) {
      const watching = new AbortController();
      helper.clean(signal).catch(() => undefined);
      cleanUpDisks(signal).catch(() => undefined);
      cleanUp ??= pool.removeAbandoned(signal).catch(() => {
        // The Engine is away: again when it is back.
        cleanUp = undefined;
      });
      removeAbandoned(docker, helper, serviceId, signal).catch(() => undefined);
      removeUntagged(docker, signal).catch(() => undefined);
      watchFirewall(firewall, machines, watching.signal, options.onProblem);
      try {
        for await (const event of watchMachines(docker, serviceId, signal)) {
          if (event.status === 'gone' && (await isReset(event.id, signal))) continue;
          if (pool.hides(event.id)) pool.observe(event);
          else yield withoutExpected(event);
        }
      } finally {
        watching.abort();
      }
    },
    dial,
    socketDirectory: `/${SOCKET_DIRECTORY.join('/')}`,
    connect: (id, name, signal) => sockets.dial(id, name, signal),
    checkNetwork: (network) => firewall.checkNetwork(network),
    applyNetwork: (id) => firewall.ensure(id),
    refusedNames: (id) => firewall.refusedNames(id),
    usage: async (id, signal) => containerUsage(docker, await containers.id(id, signal), signal),
    diskUsage: async (id, signal) =>
      containerDiskUsage(docker, await containers.id(id, signal), signal),
    createVolume: async ({ id }, signal) =>
      volumes.create(id, (await machines.facts()).isRemapped, signal),
    removeVolume: (id, signal) => volumes.remove(id, signal),
    volumeBytes: (id, signal) => volumes.bytes(id, signal),
    images: (signal) => currentImages(docker, signal),
    recipeHash: (image) => recipeHash(image).catch(() => undefined),
    close: async () => {
      await cleanUp;
      await pool.close();
      await helper.settled();
      await saves.settled();
      // Also for a stopped machine: `docker start` may start it without the service.
      const isNeeded = await containers.any().catch(() => true);
      if (!isNeeded) {
        await firewall.remove().catch((error: unknown) => {
          options.onProblem?.(`The firewall rules were not removed: ${errorMessage(error)}`);
        });
      }
      firewall.disconnect();
      dialectOf(docker).close?.();
    },
  };
}
