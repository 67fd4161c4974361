import { join } from 'node:path';
import { execa } from 'execa';
import { ApiError } from '../../contract/errors.js';
import { loadVmRecipe } from '../../images/recipe.js';
import { sleep } from '../../lib/async/sleep.js';
import { processUsage } from '../../lib/process/process-usage.js';
import type { ServiceSettings } from '../descriptor.js';
import type {
  Engine,
  EngineCapabilities,
  MachineDescription,
  MachineNetworks,
  MachineUsage,
  Measuring,
  Mounting,
  Restricting,
  Snapshotting,
  WarmUp,
} from '../engine.js';
import { hasDomains, resolvesNoNames } from '../network/allow-list.js';
import { throttleOf } from '../network/throttle.js';
import { notRunning } from '../not-running.js';
import { VolumeDirectories } from '../volumes/directories.js';
import { ownBytes } from './disk/merge-layers.js';
import { Dialer, shellAccess } from './guest/dial.js';
import { probeQemu, QemuHost } from './host.js';
import { setClocks, watchHostClock } from './host-clock.js';
import { listImages } from './images/installed.js';
import { Layout } from './layout.js';
import type { QemuMachine } from './machine/qemu-machine.js';
import { MachineRegistry } from './machine/registry.js';
import { ChangeNotifier, watchMachines } from './machine/watch.js';
import { checkThrottle } from './network/check-throttle.js';
import { hostAddresses } from './network/plan.js';
import { refreshNetwork } from './network/refresh.js';
import { readRefusedNames } from './network/refused.js';
import { QemuPool } from './pool/qemu-pool.js';
import { ENVIRONMENT } from './process/command.js';
import { setClock } from './snapshots/freeze.js';
import { resetMachine } from './snapshots/reset.js';
import { saveMachine } from './snapshots/save.js';
import { SavedStore } from './snapshots/saved/store.js';
import { type TemplateSource, Templates } from './snapshots/templates/templates.js';
import { createVolume } from './volumes.js';

export interface QemuEngineOptions {
  /** `<state>/qemu`, created with mode 0700. It holds the machines' disks. */
  readonly directory: string;
  readonly serviceId: string;
  /** Whether machines may reach the public internet. */
  readonly internet: boolean;
  /** Further IPv4 networks that machines may reach; `0.0.0.0/0` allows everything. */
  readonly allowNetworks: readonly string[];
  /** What single machines may reach at present; all by default. */
  readonly networks?: () => MachineNetworks;
  /**
   * `automatic` (the default): after a machine had to boot, build a template of its shape in the
   * background if the host has enough memory. `on-demand`: only {@link TemplateSource.warm} does.
   */
  readonly templates?: 'automatic' | 'on-demand';
  /** Size of the warm pool, one machine of each shape that was started last; 0 by default. */
  readonly poolSize?: number;
  /** Runs once in each machine of the warm pool, so that the same operations are fast later. */
  warmUp?(warmUp: WarmUp): Promise<void>;
  /** Receives one line about each failure in the background. */
  onProblem?(message: string): void;
}

export type QemuEngine = Engine &
  Snapshotting &
  Measuring &
  Mounting &
  Restricting &
  TemplateSource & { close(): Promise<void> };

const REFRESH_EVERY_MS = 2_000;
/** The screen comes through a serial port, where `raw` takes three times as long with TCG. */
const PIXELS = 'hextile';

/** Machines as QEMU processes that outlive the service; no daemon. */
export function createQemuEngine(options: QemuEngineOptions): QemuEngine {
  const { serviceId, internet, allowNetworks } = options;
  const policy = { internet, allowNetworks };
  const host = new QemuHost(new Layout(options.directory), policy, options.networks);
  const changes = new ChangeNotifier();
  const dialer = new Dialer(host);
  const onProblem = (message: string) => options.onProblem?.(message);
  const saved = new SavedStore(host.layout);
  const volumes = new VolumeDirectories(host.layout.volumes);
  const templates = new Templates(host, { mode: options.templates ?? 'automatic', onProblem });
  const pool = new QemuPool({
    host,
    serviceId,
    templates,
    onProblem,
    size: options.poolSize ?? 0,
    pixels: PIXELS,
    dial: (machine, channel, signal) => {
      if (machine.record === undefined) throw notRunning();
      return dialer.dial(machine, machine.record, channel, signal);
    },
    warmUp: (machine) => options.warmUp?.(machine) ?? Promise.resolve(),
  });
  const machines = new MachineRegistry({
    host,
    serviceId,
    templates,
    pool,
    onProblem,
    onChange: (id) => changes.notify(id),
    onHangUp: (id, channel) => dialer.hangUp(id, channel),
  });

  /** Set by the first `watch`: only a service that hosts machines may remove what another left. */
  let cleanUp: Promise<unknown> | undefined;

  const isolation = () => (host.accelerated ? 'vm' : 'emulated');

  const setGuestClocks = () =>
    setClocks(machines, (qemu, record) => setClock(qemu, record, host, undefined));

  /** The rules of a machine are in its own network namespace, where only root can change them. */
  async function refresh(): Promise<void> {
    const addresses = (await hostAddresses()).join();
    for (const { id, qemu, record } of machines.running()) {
      if (qemu?.network === undefined || record?.network === null) {
        // This service failed, or an earlier one ended, while it changed what the machine may reach.
        const applied = await machines.applyNetwork(id).then(
          () => true,
          () => false,
        );
        if (!applied) continue;
      }
      if (qemu === undefined || qemu.network?.hostAddresses.join() === addresses) continue;
      // Unknown for a machine that an earlier service started: refresh all of its addresses.
      const network = qemu.network ?? { ...(await host.network()), hostAddresses: [] };
      qemu.network = await refreshNetwork(qemu.identity, network).catch(() => qemu.network);
    }
  }

  return {
    name: 'qemu',
    get capabilities(): EngineCapabilities {
      return { os: ['linux', 'windows'], gpus: [], isolation: isolation() };
    },
    probe: () => probeQemu(host),
    describe: async (id, signal): Promise<MachineDescription> => {
      const { record } = await machines.get(id);
      await host.acceleration(signal);
      const shell = shellAccess(record);
      const programs =
        record.image.kind === 'disk' ? 'native' : record.image.os === 'windows' ? 'wine' : 'x11';
      const common = {
        isolation: isolation(),
        pixels: PIXELS,
        programs,
      } as const;
      return shell === undefined ? common : { ...common, shell };
    },
    create: (spec, signal) => machines.create(spec, signal),
    start: (id, signal, onRunning) => machines.start(id, signal, onRunning),
    resize: (id, size) => machines.resize(id, size),
    setHostName: (id, hostName) => machines.setHostName(id, hostName),
    stop: (id, graceMs) => machines.stop(id, graceMs),
    remove: (id) => machines.remove(id),
    list: () => machines.list(),
    async *watch(signal) {
      cleanUp ??= Promise.all([templates.removeAbandoned(), pool.removeAbandoned()]);
      const refreshing = new AbortController();
      const keepRefreshed = async () => {
        for (; ; await sleep(REFRESH_EVERY_MS, refreshing.signal)) await refresh().catch(() => {});
      };
      keepRefreshed().catch(() => undefined);
      watchHostClock(setGuestClocks, refreshing.signal).catch(() => undefined);
      try {
        yield* watchMachines(machines, changes, signal);
      } finally {
        refreshing.abort();
      }
    },
    dial: async (id, channel, signal) => {
      const { machine, record } = await machines.get(id);
      return dialer.dial(machine, record, channel, signal);
    },
    checkNetwork: async (network) => {
      await checkThrottle(throttleOf(network));
      if (!hasDomains(network)) return;
      if (!policy.internet) throw resolvesNoNames();
      const { stdout } = await execa('dnsmasq', ['--version'], { reject: false, env: ENVIRONMENT });
      // 2.87, of 2022, is the first that has it.
      if (/ nftset /.test(`${stdout} `)) return;
      const message = 'A list with domains needs dnsmasq 2.87 or newer with nftset on the host.';
      throw new ApiError('unsupported', message, { remedy: 'vc setup --engine qemu' });
    },
    applyNetwork: (id) => machines.applyNetwork(id),
    refusedNames: async (id) => {
      const { machine } = await machines.get(id);
      return readRefusedNames(machine.directory);
    },
    createVolume: ({ id }) => createVolume(host, id),
    removeVolume: (id, signal) => volumes.remove(id, signal),
    volumeBytes: (id, signal) => volumes.bytes(id, signal),
    usage: async (id) => machineUsage((await machines.get(id)).machine),
    diskUsage: async (id) => {
      const { machine, record } = await machines.get(id);
      const diskBytes = await ownBytes(machine.directory, record);
      return { diskBytes, diskTotalBytes: record.image.diskBytes };
    },
    images: () => listImages(host.layout.images),
    recipeHash: async (image) => (await loadVmRecipe(image).catch(() => undefined))?.hash,
    save: (machine, request, signal) =>
      saveMachine(machine, request, { host, machines, saved }, signal),
    savedDisks: () => saved.list(),
    removeSaved: async (id) => {
      await saved.remove(id);
      await templates.removeStale();
    },
    reset: (spec) =>
      machines.withMachine(spec.id, (machine, record) => resetMachine(machine, record, spec, host)),
    warm: (shape, warmOptions) => templates.warm(shape, warmOptions),
    templates: () => templates.templates(),
    forgetOwner: async (ownerId) => {
      await pool.forgetOwner(ownerId);
      await templates.forgetOwner(ownerId);
    },
    removeTemplate: (key) => templates.removeTemplate(key),
    close: async () => {
      await cleanUp;
      await Promise.all([templates.close(), pool.close()]);
      await machines.close();
    },
  };
}

/** The engine of a service; without a service it is safe to use while one runs on that state. */
export function openQemu(stateDirectory: string, service?: ServiceSettings): QemuEngine {
  const directory = join(stateDirectory, 'qemu');
  if (service === undefined) {
    const visitor = { serviceId: 'command-line', allowNetworks: [], internet: true };
    return createQemuEngine({ ...visitor, directory, templates: 'on-demand' });
  }
  const { serviceId, internet, allowNetworks, networks, options, warmUp, onProblem } = service;
  const poolSize = Number(options.spares ?? 0);
  const policy = { internet, allowNetworks, networks };
  const settings = { serviceId, ...policy, poolSize, warmUp, onProblem };
  return createQemuEngine({ ...settings, directory });
}

/** The resource usage of a machine's QEMU. Works while the guest or QEMU's monitor hangs. */
export async function machineUsage({ qemu }: Pick<QemuMachine, 'qemu'>): Promise<MachineUsage> {
  const used = qemu && (await processUsage(qemu.identity));
  if (used === undefined) throw notRunning();
  return { cpuSeconds: used.cpuSeconds, memoryBytes: used.residentBytes };
}
