import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { ApiError } from '../../contract/errors.js';
import type { Channel, Engine, MachineEvent, MachineState } from '../engine.js';
import { ask, connectDocker, isRemote, QUICK_MS } from './client.js';
import { dialScreen, NotListening } from './dial-screen.js';
import { SocketDirectories } from './directory.js';
import { execStream, notRunning } from './exec-stream.js';
import { Firewall } from './firewall.js';
import { Helpers } from './helper.js';
import { machineName } from './ids.js';
import { listImages } from './images.js';
import { Machines } from './machines.js';
import { Networks } from './network.js';
import { probeDocker } from './probe.js';
import { relayScreen } from './relay-screen.js';
import { inspectMachine, listMachines } from './status.js';
import { Subnets } from './subnets.js';
import { watchMachines } from './watch.js';

export interface DockerEngineOptions {
  /** The Engine; by default the one that the environment names. */
  readonly docker?: Docker;
  /** The installation's id: machines of others are never seen or touched. */
  readonly serviceId: string;
  /** Where machines' socket directories lie; made 0700. On a disk: guests can write there. */
  readonly directory: string;
  /** Lets the guest's user become root in its container. */
  readonly allowSudo: boolean;
  /** May machines reach the public internet? */
  readonly internet: boolean;
  /** IPv4 networks that machines may reach besides; `0.0.0.0/0` closes nothing at all. */
  readonly allowNetworks: readonly string[];
  /** IPv4 network that machines' own networks are cut from; default 10.213.0.0/16. */
  readonly subnetPool?: string;
  /** GiB that a machine may write where the storage driver has quotas (xfs, btrfs, zfs); default 64. */
  readonly diskGib?: number;
}

/** A screen that does not listen yet is waited for this long. */
const LISTENING_MS = 10_000;

/** The directory of the host that a container makes its sockets in. */
async function socketDirectory(docker: Docker, name: string, signal: AbortSignal | undefined) {
  const { Mounts } = await ask(QUICK_MS, signal, (abortSignal) =>
    docker.getContainer(name).inspect({ abortSignal }),
  );
  return Mounts?.find(({ Destination }) => Destination === '/run/vc')?.Source;
}

/** Machines as containers of a Docker Engine. */
export function createDockerEngine(options: DockerEngineOptions): Engine {
  const docker = options.docker ?? connectDocker();
  const { serviceId, allowNetworks, internet } = options;
  const helper = new Helpers(docker, serviceId);
  const firewall = new Firewall(docker, helper, { serviceId, allowNetworks, internet });
  const shared = !isRemote(docker) && process.platform === 'linux';
  const directories = shared ? new SocketDirectories(options.directory) : undefined;
  const machines = new Machines({
    docker,
    serviceId,
    networks: new Networks(docker, serviceId, new Subnets(options.subnetPool ?? '10.213.0.0/16')),
    firewall,
    helper,
    directories,
    allowSudo: options.allowSudo,
    diskGib: options.diskGib ?? 64,
  });
  /** Machines that were ended on purpose: however they went, it was no failure. */
  const ended = new Set<string>();
  const judged = <S extends MachineEvent>(state: S): S | MachineState =>
    state.status === 'error' && ended.has(state.id) ? { id: state.id, status: 'stopped' } : state;

  async function dialWhenListening(id: string, signal?: AbortSignal) {
    const name = machineName(id);
    const relay = () => relayScreen(docker, name, signal);
    let dial = directories ? () => dialScreen(directories.of(id), signal) : relay;
    // Made by a service whose state was restored here from another directory.
    const isElsewhere = async () =>
      directories !== undefined &&
      (await socketDirectory(docker, name, signal)) !== directories.of(id);
    for (const end = performance.now() + LISTENING_MS; ; ) {
      try {
        return await dial();
      } catch (error) {
        if (!(error instanceof NotListening)) throw error;
        const state = await inspectMachine(docker, name, id, signal);
        if (state?.status !== 'running') throw notRunning(error);
        if (dial !== relay && (await isElsewhere())) dial = relay;
        if (performance.now() > end) {
          const message = "The computer's screen does not listen.";
          throw new ApiError('guest_timeout', message, { cause: error });
        }
      }
      await sleep(15, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
    }
  }

  return {
    name: 'docker',
    features: {
      ...{ isolation: 'container', fork: false, os: ['linux', 'windows'], gpus: [] },
      pixels: 'raw',
    },
    shell: async () => ({ user: 'user' }),
    probe: (signal) => probeDocker(docker, signal),
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
    },
    list: async (signal) => (await listMachines(docker, serviceId, signal)).map(judged),
    async *watch(signal) {
      // Whatever was away, the Engine or this service, the rules may be gone.
      firewall.invalidate();
      const keep = async () => {
        await helper.clean(signal).catch(() => undefined);
        for (; !signal.aborted; await sleep(60_000, undefined, { signal })) {
          // It fails while there is no image yet; no machine starts without it either way.
          await firewall.ensure().catch(() => undefined);
        }
      };
      keep().catch(() => undefined);
      try {
        for await (const event of watchMachines(docker, serviceId, signal)) yield judged(event);
      } finally {
        firewall.invalidate();
      }
    },
    dial: (id: string, channel: Channel, signal) =>
      channel === 'screen'
        ? dialWhenListening(id, signal)
        : execStream(docker, machineName(id), ['/usr/lib/vc/sshd'], signal),
    images: (signal) => listImages(docker, signal),
    close: () => helper.settled(),
  };
}
