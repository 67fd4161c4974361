import type { Engine, EngineFeatures, Forking } from '../engine.js';
import { Dialer, shellAccess } from './dial.js';
import { forkMachine } from './fork/index.js';
import { notRunning } from './guest/channels.js';
import { Host } from './host.js';
import { listImages } from './images.js';
import { Layout } from './layout.js';
import { Machines } from './machines.js';
import { refreshNetwork } from './network/index.js';
import { probeQemu } from './probe.js';
import { type Rehearsal, Spares } from './spares/index.js';
import { type TemplateSource, Templates } from './templates/index.js';
import { Changes, watchMachines } from './watch.js';

export interface QemuEngineOptions {
  /** `<state>/qemu`; made 0700. On a disk: machines lie there. */
  readonly directory: string;
  /** The installation's id. */
  readonly serviceId: string;
  /** May machines reach the public internet? */
  readonly internet: boolean;
  /** IPv4 networks that machines may reach besides; `0.0.0.0/0` closes nothing at all. */
  readonly allowNetworks: readonly string[];
  /**
   * `automatic` (the default): where a machine had to be booted, a template of its shape is made
   * afterwards if the host has memory to spare. `on-demand`: only {@link TemplateSource.warm}.
   */
  readonly templates?: 'automatic' | 'on-demand';
  /**
   * Machines that are kept ready where there is a template, one of each shape that was started last;
   * none if left out.
   */
  readonly spares?: number;
  /** What a spare is asked to do once, so that it is quick at it afterwards. */
  rehearse?(rehearsal: Rehearsal): Promise<void>;
  /** Told in one line what went wrong in the background. */
  onProblem?(message: string): void;
}

const REFRESH_EVERY_MS = 30_000;
/** A guest's screen comes through a serial port, and raw takes three times as long emulated. */
const PIXELS = 'hextile';

/** Machines as QEMU processes that outlive the service; no daemon. */
export function createQemuEngine(
  options: QemuEngineOptions,
): Engine & Forking & TemplateSource & { close(): Promise<void> } {
  const { serviceId, internet, allowNetworks } = options;
  const host = new Host(new Layout(options.directory), { internet, allowNetworks });
  const changes = new Changes();
  const dialer = new Dialer(host);
  const onProblem = (message: string) => options.onProblem?.(message);
  const templates = new Templates(host, {
    mode: options.templates ?? 'automatic',
    onProblem,
  });
  const spares = new Spares({
    ...{ host, serviceId, templates, onProblem, most: options.spares ?? 0, pixels: PIXELS },
    dial: (spare, channel, signal) => {
      if (spare.record === undefined) throw notRunning();
      return dialer.dial(spare, spare.record, channel, signal);
    },
    rehearse: (rehearsal) => options.rehearse?.(rehearsal) ?? Promise.resolve(),
  });
  const machines = new Machines({
    host,
    serviceId,
    templates,
    spares,
    onProblem,
    onChange: (id) => changes.tell(id),
    onHangUp: (id, channel) => dialer.hangUp(id, channel),
  });

  /** Once, by who serves machines: see what an earlier service has left of templates. */
  let tidying: Promise<unknown> | undefined;

  async function refresh(): Promise<void> {
    for (const { qemu } of machines.running()) {
      if (qemu === undefined) continue;
      // Of one that another service started it is not known which addresses are closed.
      const network = qemu.network ?? { ...(await host.network()), hostAddresses: [] };
      qemu.network = await refreshNetwork(qemu.identity, network).catch(() => qemu.network);
    }
  }

  return {
    name: 'qemu',
    get features(): EngineFeatures {
      const isolation = host.accelerated ? 'vm' : 'emulated';
      return { isolation, fork: true, os: ['linux', 'windows'], gpus: [], pixels: PIXELS };
    },
    probe: () => probeQemu(host),
    shell: async (id) => shellAccess((await machines.get(id)).record),
    create: (spec, signal) => machines.create(spec, signal),
    start: (id, signal, onRunning) => machines.start(id, signal, onRunning),
    stop: (id, graceMs) => machines.stop(id, graceMs),
    remove: (id) => machines.remove(id),
    list: () => machines.list(),
    async *watch(signal) {
      tidying ??= Promise.all([templates.discardAbandoned(), spares.discardAbandoned()]);
      const timer = setInterval(() => {
        refresh().catch(() => undefined);
      }, REFRESH_EVERY_MS);
      try {
        yield* watchMachines(machines, changes, signal);
      } finally {
        clearInterval(timer);
      }
    },
    dial: async (id, channel, signal) => {
      const { machine, record } = await machines.get(id);
      return dialer.dial(machine, record, channel, signal);
    },
    images: () => listImages(host.layout.images),
    fork: (from, to, signal) =>
      machines.withTwo(from, to.id, (source, copy) =>
        forkMachine(source, copy, to, { host, templates, signal }),
      ),
    warm: (shape, warmOptions) => templates.warm(shape, warmOptions),
    templates: () => templates.templates(),
    removeTemplate: (key) => templates.removeTemplate(key),
    close: async () => {
      await tidying;
      await Promise.all([templates.close(), spares.close()]);
      await machines.settled();
    },
  };
}
