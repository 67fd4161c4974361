import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { within } from '../../../lib/async/deadline.js';
import { type Deferred, deferred } from '../../../lib/async/deferred.js';
import { sleep } from '../../../lib/async/sleep.js';
import type { Channel, MachineSpec, WarmUp } from '../../engine.js';
import type { MachineIdentity } from '../../pool/reserving.js';
import { ask, QUICK_MS, STEP_MS } from '../client.js';
import { dialectOf } from '../dialect.js';
import { CPU_SHARES } from '../machine/container-config.js';
import type { ContainerMachines } from '../machine/container-machines.js';
import type { Containers } from '../machine/containers.js';
import type { HostNames } from '../machine/host-names.js';

/** A machine of the warm pool: paused, with a program that waits for a login. */
export interface Spare extends MachineIdentity {
  readonly container: string;
  /** Nobody has logged in yet. */
  readonly shell: Duplex;
  /** Resolved when its container ends. */
  readonly ended: Deferred<void>;
}

export interface SpareParts {
  readonly docker: Docker;
  readonly machines: ContainerMachines;
  readonly containers: Containers;
  readonly hostNames: HostNames;
  dial(id: string, channel: Channel, signal: AbortSignal): Promise<Duplex>;
  /** Serves one login on a stream, without a time limit. */
  openShell(container: string, signal: AbortSignal): Promise<Duplex>;
  /** Does what clients usually do first; closes the connections it opens. */
  warmUp(warmUp: WarmUp): Promise<void>;
  /** Time for the last programs of the desktop to start; 3,000 ms by default. */
  readonly settleMs?: number;
}

/** The host name of a machine without a computer. */
const NO_NAME = 'computer';
const WARM_UP_MS = 120_000;
const SETTLE_MS = 3_000;

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
  const { docker, machines, containers, hostNames, dial, openShell, warmUp } = parts;
  const signal = AbortSignal.any([given, AbortSignal.timeout(WARM_UP_MS)]);
  // No computer asks for the name that the container is created with: it counts as set already.
  const spec = { ...like, id, authorizedKey: publicKey, hostName: id.replace('_', '-') };
  await machines.create(spec, signal, { use: 'spare' });
  await machines.start(id, signal);
  const container = await containers.id(id, signal);
  // The computer gets its name in the same way.
  hostNames.set(id, NO_NAME);
  await hostNames.change(id, container, signal);
  await warmUp({
    dial: (channel) => dial(id, channel, signal),
    access: { user: 'user', privateKey },
    pixels: 'raw',
    signal,
  });
  await sleep(parts.settleMs ?? SETTLE_MS, signal);
  const shell = await openShell(container, signal);
  try {
    await firstBytes(shell, signal);
    await ask(docker, QUICK_MS, signal, (abortSignal) =>
      dialectOf(docker).setLimits(docker, container, { shares: CPU_SHARES.usual }, abortSignal),
    );
    await ask(docker, STEP_MS, signal, (abortSignal) =>
      docker.getContainer(container).pause({ abortSignal }),
    );
  } catch (error) {
    shell.destroy();
    throw error;
  }
  return { id, publicKey, privateKey, container, shell, ended: deferred<void>() };
}

/** Waits until the server has greeted; the greeting stays in the stream. */
async function firstBytes(stream: Duplex, signal: AbortSignal): Promise<void> {
  const readable = deferred<void>();
  const ended = () => new Error('the SSH server has ended');
  const onReadable = () => (stream.readableLength > 0 ? readable.resolve() : onEnd());
  const onEnd = () => readable.reject(ended());
  stream.on('readable', onReadable).on('close', onEnd);
  // While it is in the pool, and later until the login reads it.
  stream.on('error', () => undefined);
  try {
    await within(readable.promise, { ms: QUICK_MS, onTimeout: ended, signal });
  } finally {
    stream.off('readable', onReadable).off('close', onEnd);
  }
}
