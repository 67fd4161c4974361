import type Docker from 'dockerode';
import { type Deferred, deferred } from '../../../lib/async/deferred.js';
import type { ServiceSettings } from '../../descriptor.js';
import type { MachineSpec } from '../../engine.js';
import type { MachineIdentity } from '../../pool/reserving.js';
import { ask, QUICK_MS, STEP_MS } from '../client.js';
import { dialectOf } from '../dialect.js';
import { CPU_SHARES } from '../machine/container-config.js';
import type { ContainerMachines } from '../machine/container-machines.js';
import type { Containers } from '../machine/containers.js';
import type { HostNames } from '../machine/host-names.js';

/** A machine of the warm pool: paused, and connected. */
export interface Spare extends MachineIdentity {
  readonly container: string;
  /** Resolved when its container ends. */
  readonly ended: Deferred<void>;
}

export interface SpareParts extends Pick<ServiceSettings, 'prepare' | 'discard'> {
  readonly docker: Docker;
  readonly machines: ContainerMachines;
  readonly containers: Containers;
  readonly hostNames: HostNames;
}

/** The host name of a machine without a computer. */
const NO_NAME = 'computer';
const WARM_UP_MS = 120_000;

/**
 * Makes a machine, waits until it can be used, and pauses it. The caller removes one that failed.
 * Throws `HostNameRefused` where no machine could get the name of its computer.
 */
export async function createSpare(
  { id, publicKey, privateKey }: MachineIdentity,
  like: Omit<MachineSpec, 'id' | 'authorizedKey' | 'hostName'>,
  parts: SpareParts,
  given: AbortSignal,
): Promise<Spare> {
  const { docker, machines, containers, hostNames, prepare } = parts;
  const signal = AbortSignal.any([given, AbortSignal.timeout(WARM_UP_MS)]);
  // No computer asks for the name that the container is created with: it counts as set already.
  const spec = { ...like, id, authorizedKey: publicKey, hostName: id.replace('_', '-') };
  await machines.create(spec, signal, { use: 'spare' });
  await machines.start(id, signal);
  const container = await containers.id(id, signal);
  // The computer gets its name in the same way.
  hostNames.set(id, NO_NAME);
  await hostNames.change(id, container, signal);
  await prepare({ id, privateKey, resolution: spec.resolution }, signal);
  await ask(docker, QUICK_MS, signal, (abortSignal) =>
    dialectOf(docker).setLimits(docker, container, { shares: CPU_SHARES.usual }, abortSignal),
  );
  await ask(docker, STEP_MS, signal, (abortSignal) =>
    docker.getContainer(container).pause({ abortSignal }),
  );
  return { id, publicKey, privateKey, container, ended: deferred<void>() };
}
