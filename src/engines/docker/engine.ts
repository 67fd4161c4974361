import type Docker from 'dockerode';
import type { ApiError } from '../../contract/errors.js';
import { recipeHash } from '../../images/recipe.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type {
  Channel,
  Connecting,
  Engine,
  MachineDescription,
  MachineEvent,
  MachineState,
  Measuring,
  Probe,
} from '../engine.js';
import { ask, connectDocker, isRemote, QUICK_MS } from './client.js';
import { Helpers } from './helper.js';
import { LABEL } from './ids.js';
import { currentImages } from './images/list.js';
import { Containers } from './machine/containers.js';
import { SocketDirectories } from './machine/directory.js';
import { execStream } from './machine/exec-stream.js';
import { Machines } from './machine/machines.js';
import { listMachines } from './machine/status.js';
import { containerUsage } from './machine/usage.js';
import { watchMachines } from './machine/watch.js';
import { removeAbandoned } from './network/abandoned.js';
import { Firewall } from './network/firewall.js';
import { Networks } from './network/network.js';
import { Subnets } from './network/subnets.js';
import { watchFirewall } from './network/watch.js';
import { probeDocker } from './probe.js';
import { MachineSockets } from './screen/machine-sockets.js';
import { Screens } from './screen/screens.js';
import { SOCKET_DIRECTORY } from './screen/socket.js';

export interface DockerEngineOptions {
  /** The Engine; by default the one that the environment names. */
  readonly docker?: Docker;
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
  /** Disk quota in GiB, if the storage driver supports quotas (xfs, btrfs, zfs); default 64. */
  readonly diskGib?: number;
  /** Receives one line about each failure in the background. */
  onProblem?(message: string): void;
}

/** The pool of the machines' networks. */
const SUBNET_POOL = '10.213.0.0/16';

/** An image for Windows runs its programs on Wine; containers inherit the image's labels. */
async function describe(
  docker: Docker,
  name: string,
  signal: AbortSignal | undefined,
): Promise<MachineDescription> {
  const { Config } = await ask(QUICK_MS, signal, (abortSignal) =>
    docker.getContainer(name).inspect({ abortSignal }),
  );
  const programs = Config.Labels?.[LABEL.os] === 'windows' ? 'wine' : 'x11';
  const shell = { user: 'user' };
  return { isolation: 'container', pixels: 'raw', canFork: false, shell, programs };
}

function unusable({ message, remedy }: ApiError): Probe {
  return { usable: false, reason: message.replace(/\.$/, ''), remedy: remedy ?? 'vc doctor' };
}

/** Machines as containers of a Docker Engine. */
export function createDockerEngine(options: DockerEngineOptions): Engine & Measuring & Connecting {
  const docker = options.docker ?? connectDocker();
  const { serviceId, allowNetworks, internet } = options;
  const containers = new Containers(docker, serviceId);
  const helper = new Helpers(docker, serviceId);
  const firewall = new Firewall(docker, helper, { serviceId, allowNetworks, internet });
  const shared = !isRemote(docker) && process.platform === 'linux';
  const directories = shared ? new SocketDirectories(options.directory) : undefined;
  const machines = new Machines({
    docker,
    serviceId,
    containers,
    networks: new Networks(docker, serviceId, new Subnets(SUBNET_POOL)),
    firewall,
    helper,
    directories,
    allowSudo: options.allowSudo,
    diskGib: options.diskGib ?? 64,
  });
  const sockets = new MachineSockets({ docker, containers, directories });
  const screens = new Screens({ docker, containers, sockets });
  /** Machines stopped by us: ignore their exit code. */
  const ended = new Set<string>();
  const withoutExpected = <S extends MachineEvent>(state: S): S | MachineState =>
    state.status === 'error' && ended.has(state.id) ? { id: state.id, status: 'stopped' } : state;

  return {
    name: 'docker',
    capabilities: { os: ['linux', 'windows'], gpus: [], isolation: 'container' },
    describe: async (id, signal) => describe(docker, await containers.id(id, signal), signal),
    probe: async (signal) => {
      const probe = await probeDocker(docker, signal);
      return probe.usable && firewall.problem ? unusable(firewall.problem) : probe;
    },
    create: (spec, signal) => machines.create(spec, signal),
    start: (id, signal) => {
      ended.delete(id);
      return machines.start(id, signal);
    },
    stop: (id, graceMs, signal) => {
      ended.add(id);
      return machines.stop(id, graceMs, signal);
    },
    remove: async (id, signal) => {
      await machines.remove(id, signal);
      ended.delete(id);
      sockets.forget(id);
    },
    list: async (signal) => (await listMachines(docker, serviceId, signal)).map(withoutExpected),
    async *watch(signal) {
      const watching = new AbortController();
      helper.clean(signal).catch(() => undefined);
      removeAbandoned(docker, helper, serviceId, signal).catch(() => undefined);
      watchFirewall(firewall, machines, watching.signal, options.onProblem);
      try {
        for await (const event of watchMachines(docker, serviceId, signal))
          yield withoutExpected(event);
      } finally {
        watching.abort();
      }
    },
    dial: async (id: string, channel: Channel, signal) =>
      channel === 'screen'
        ? screens.dial(id, signal)
        : execStream(docker, await containers.id(id, signal), ['/usr/lib/vc/sshd'], signal),
    socketDirectory: `/${SOCKET_DIRECTORY.join('/')}`,
    connect: (id, name, signal) => sockets.dial(id, name, signal),
    usage: async (id, signal) => containerUsage(docker, await containers.id(id, signal), signal),
    images: (signal) => currentImages(docker, signal),
    recipeHash: (image) => recipeHash(image).catch(() => undefined),
    close: async () => {
      await helper.settled();
      // Also for a stopped machine: `docker start` may start it without the service.
      const isNeeded = await containers.any().catch(() => true);
      if (!isNeeded) {
        await firewall.remove().catch((error: unknown) => {
          options.onProblem?.(`The firewall rules were not removed: ${errorMessage(error)}`);
        });
      }
      firewall.disconnect();
    },
  };
}
