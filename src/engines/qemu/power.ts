import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../contract/errors.js';
import { hardwareArguments } from './arguments.js';
import type { Host } from './host.js';
import { macAddress } from './ids.js';
import { FILES } from './layout.js';
import { restore } from './migration.js';
import { netdevArguments } from './network/index.js';
import { lastWords, type ProcessIdentity } from './process/index.js';
import { type Place, Qemu } from './qemu.js';
import type { MachineRecord } from './record.js';

/** SSH in the guest of an imported disk. */
const SSH_PORT = 22;
/** The descriptor that QEMU inherits for its state: the first after the three standard ones. */
const STATE_FD = 3;

const MEMORY = {
  boot: 'own',
  model: 'shared-file',
  template: 'private-file',
  saved: 'own',
  fork: 'own',
} as const;

export interface PowerOptions {
  /**
   * `boot`; `model`: boot with the memory in a file, to become a template; `template`: as a copy of
   * a template's memory; `saved`: from a template whose memory is part of its state; `fork`: from a
   * saved machine.
   */
  readonly from: keyof typeof MEMORY;
  readonly signal?: AbortSignal | undefined;
  onLaunched(identity: ProcessIdentity): Promise<void>;
}

/**
 * Starts a machine's QEMU. Resolves when the guest's processors run. Throws ApiError with QEMU's
 * own words, and then no process is left.
 */
export async function powerOn(
  host: Host,
  place: Place,
  machine: Pick<MachineRecord, 'spec' | 'image' | 'layers' | 'resumeMac'>,
  { from, signal, onLaunched }: PowerOptions,
): Promise<Qemu> {
  const [acceleration, network] = await Promise.all([host.acceleration(signal), host.network()]);
  const relayPort = hasRelay(machine) ? SSH_PORT : undefined;
  const saved = from !== 'boot' && from !== 'model';
  const state = saved ? await open(join(place.directory, FILES.state), 'r') : undefined;
  try {
    const qemu = await Qemu.launch(host, {
      ...place,
      arguments: hardwareArguments(machine, {
        acceleration,
        network: netdevArguments(network, relayPort),
        mac: (from === 'fork' ? machine.resumeMac : null) ?? macAddress(machine.spec.id),
        generation: randomUUID(),
        memory: MEMORY[from],
        resume: saved,
      }),
      acceleration: acceleration.kind,
      network,
      seasoned: from === 'fork',
      signal,
      onLaunched,
      ...(state && { inherit: [state.fd] }),
      ...(relayPort !== undefined && { relayPort }),
    });
    if (state === undefined) return qemu;
    try {
      await restore(qemu, { fd: STATE_FD, memoryInPlace: from === 'template', signal });
      return qemu;
    } catch (cause) {
      await qemu.end(0);
      signal?.throwIfAborted();
      const words = await lastWords(place.directory);
      const message = `QEMU could not go on with what was saved: ${words}`;
      throw new ApiError('guest_failed', message, { cause });
    }
  } finally {
    await state?.close();
  }
}

/** An imported disk with an SSH server is reached through its network. */
export function hasRelay({ image }: Pick<MachineRecord, 'image'>): boolean {
  return image.kind === 'disk' && image.user !== null;
}
