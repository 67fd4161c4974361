import { ApiError } from '../../contract/errors.js';
import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.js';
import type { Clustered } from '../clustered.js';
import type {
  Channel,
  DiskUsage,
  Engine,
  Labelling,
  MachineDescription,
  MachineState,
  Measuring,
  Mounting,
  Snapshotting,
} from '../engine.js';
import { notRunning } from '../not-running.js';
import type { Cluster } from './client/cluster.js';
import { instanceName, KEY, labelConfig } from './ids.js';
import { currentImages } from './images/list.js';
import { imageHash } from './images/recipe-hash.js';
import { execStream } from './machine/exec-stream.js';
import { IncusMachines } from './machine/incus-machines.js';
import { AUTHORIZED_KEY, HOST_NAME, sizeConfig } from './machine/instance-config.js';
import { Instances } from './machine/instances.js';
import { measuredMembers, memberStates } from './machine/members.js';
import { Moving, movedMachine, movingState } from './machine/moves/copies.js';
import { asUser, authorizeKey, SCREEN_RELAY, SSHD } from './machine/programs.js';
import { SavedDisks } from './machine/saved-disks.js';
import { locationOf, machineState } from './machine/state.js';
import { Volumes } from './machine/volumes.js';
import { watchMachines } from './machine/watch.js';
import { probeCluster } from './probe.js';

/** Machines that are asked for at once. */
const AT_ONCE = 8;

/** The machines of a service, also those that are being moved to another member. */
async function machineStates(
  instances: Instances,
  serviceId: string,
  signal: AbortSignal | undefined,
): Promise<MachineState[]> {
  const all = await instances.all(signal);
  const states = all.flatMap((each) => machineState(serviceId, each) ?? []);
  const present = new Set(states.map(({ id }) => id));
  const moving = all.flatMap((each) => {
    const id = movedMachine(serviceId, each);
    return id === undefined || present.has(id) ? [] : [movingState(id)];
  });
  return [...states, ...moving];
}

/** The states of those machines that exist although a list lacked them. */
async function unlistedStates(
  instances: Instances,
  serviceId: string,
  ids: readonly string[],
  signal: AbortSignal | undefined,
): Promise<MachineState[]> {
  const limit = new ConcurrencyLimit(AT_ONCE);
  const stateOf = async (id: string): Promise<MachineState | undefined> => {
    try {
      const instance = await instances.find(id, signal);
      return instance && machineState(serviceId, instance);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof Moving) return movingState(id);
      if (!(error instanceof ApiError && error.code === 'engine_unavailable')) throw error;
      return { id, status: 'unreachable', reason: error.message };
    }
  };
  const states = await Promise.all(ids.map((id) => limit.run(() => stateOf(id))));
  return states.flatMap((state) => state ?? []);
}

export interface IncusEngineOptions {
  readonly cluster: Cluster;
  /** The installation's id: machines of other installations are never listed or changed. */
  readonly serviceId: string;
  /** Lets the guest's user become root in its container. */
  readonly allowSudo: boolean;
  /** May machines reach the public internet? Without it they have no network. */
  readonly internet: boolean;
  /** Size of machines' disks in GiB, if the storage pool supports quotas; default 64. */
  readonly diskGib?: number;
}

/** Machines as containers of a cluster of LXD or Incus. */
export function createIncusEngine(
  options: IncusEngineOptions,
): Engine & Measuring & Clustered & Snapshotting & Labelling & Mounting {
  const { cluster, serviceId, allowSudo, internet, diskGib = 64 } = options;
  const instances = new Instances(cluster, serviceId);
  const volumes = new Volumes(cluster, serviceId);
  const saved = new SavedDisks({ cluster, instances, serviceId });
  const machines = new IncusMachines({
    cluster,
    instances,
    saved,
    serviceId,
    allowSudo,
    internet,
    diskGib,
  });
  const describe = async (id: string, signal?: AbortSignal): Promise<MachineDescription> => {
    const { config } = await instances.get(id, signal);
    // An image for Windows runs its programs on Wine.
    const programs = config?.[KEY.os] === 'windows' ? 'wine' : 'x11';
    const shell = { user: 'user' };
    return { isolation: 'container', pixels: 'hextile', shell, programs };
  };
  const exec = async (id: string, command: readonly string[], signal?: AbortSignal) => {
    const { url, hasSudo } = await instances.place(id, signal);
    const program = asUser(allowSudo && hasSudo, ...command);
    try {
      return await execStream(cluster, { name: instanceName(id), command: program, url, signal });
    } catch (error) {
      instances.forget(id);
      throw error;
    }
  };
  const setAuthorizedKey = async (id: string, key: string, signal?: AbortSignal) => {
    const { status } = await instances.get(id, signal);
    // A stopped one has it from its next start on.
    if (status !== 'Stopped') {
      const run = (command: readonly string[]) => exec(id, command, signal);
      await authorizeKey(key, run, signal);
    }
    await machines.configure(id, { [AUTHORIZED_KEY]: key }, signal);
  };
  return {
    name: 'incus',
    capabilities: { os: ['linux', 'windows'], gpus: [], isolation: 'container' },
    describe,
    // An archive of all files is made.
    saveMs: 30_000,
    probe: (signal) => probeCluster(cluster, signal),
    create: (spec, signal) => machines.create(spec, signal),
    save: (id, request, signal) => saved.save(id, request, signal),
    savedDisks: (signal) => saved.list(signal),
    removeSaved: (id, signal) => saved.remove(id, signal),
    reset: (spec, signal) => machines.reset(spec, signal),
    start: (id, signal) => machines.start(id, signal),
    resize: async (id, size, signal) => {
      await machines.configure(id, sizeConfig(size), signal);
      return 'now';
    },
    setHostName: (id, hostName) => machines.configure(id, { [HOST_NAME]: hostName }),
    setLabel: (id, label, signal) => machines.configure(id, labelConfig(label), signal),
    setAuthorizedKey,
    stop: (id, graceMs, signal) => machines.stop(id, graceMs, signal),
    remove: (id, signal) => machines.remove(id, signal),
    list: (signal) => machineStates(instances, serviceId, signal),
    unlisted: (ids, signal) => unlistedStates(instances, serviceId, ids, signal),
    watch: (signal) => watchMachines(cluster, instances, serviceId, signal),
    dial: (id: string, channel: Channel, signal) =>
      exec(id, channel === 'screen' ? SCREEN_RELAY : SSHD, signal),
    members: (signal) => measuredMembers(cluster, signal),
    memberStates: (signal) => memberStates(cluster, signal),
    memberOf: async (id, signal) => locationOf(await instances.get(id, signal)),
    move: (id, member, signal) => machines.move(id, member, signal),
    createVolume: (volume, signal) => volumes.create(volume, signal),
    removeVolume: (id, signal) => volumes.remove(id, signal),
    volumeBytes: (id, signal) => volumes.bytes(id, signal),
    usage: async (id, signal) => {
      const { cpu, memory } = await runningState(cluster, id, signal);
      return { cpuSeconds: (cpu?.usage ?? 0) / 1e9, memoryBytes: memory?.usage ?? 0 };
    },
    diskUsage: (id, signal) => diskUsage(cluster, instances, id, signal),
    images: (signal) => currentImages(cluster, signal),
    recipeHash: (image) => imageHash(image).catch(() => undefined),
    close: () => cluster.close(),
  };
}

interface InstanceState {
  readonly status: string;
  /** Nanoseconds. */
  readonly cpu?: { readonly usage?: number };
  readonly memory?: { readonly usage?: number };
  /** Only where the storage pool counts. */
  readonly disk?: Readonly<Record<string, { readonly usage?: number }>> | null;
}

/** Throws `not_running`. */
async function runningState(
  cluster: Cluster,
  id: string,
  signal: AbortSignal | undefined,
): Promise<InstanceState> {
  const path = `/1.0/instances/${instanceName(id)}/state`;
  const state = await cluster.ask<InstanceState>(path, { signal });
  if (state.status !== 'Running' && state.status !== 'Frozen') throw notRunning();
  return state;
}

async function diskUsage(
  cluster: Cluster,
  instances: Instances,
  id: string,
  signal: AbortSignal | undefined,
): Promise<DiskUsage> {
  const [{ disk }, { devices }] = await Promise.all([
    runningState(cluster, id, signal),
    instances.get(id, signal),
  ]);
  const quota = /^(\d+)GiB$/.exec(devices?.root?.size ?? '')?.[1];
  return {
    diskBytes: disk?.root?.usage ?? 0,
    ...(quota === undefined ? {} : { diskTotalBytes: Number(quota) * 2 ** 30 }),
  };
}
