import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../contract/errors.js';
import type { ComputerNetwork } from '../../../contract/resources/network.js';
import type { ProcessIdentity } from '../../../lib/process/identity.js';
import type { QemuHost } from '../host.js';
import { macAddress } from '../ids.js';
import { FILES } from '../layout.js';
import { netdevArguments } from '../network/plan.js';
import { lastLogLines } from '../process/log.js';
import { isCompressed, resumeFromState } from '../snapshots/migration.js';
import { servedVolumes } from '../volumes.js';
import { hardwareArguments } from './arguments.js';
import type { MachineRecord } from './machine-record.js';
import { QemuProcess, type Workspace } from './qemu-process.js';

/** SSH in the guest of an imported disk. */
const SSH_PORT = 22;
/** The descriptor by which QEMU inherits the state file. */
const STATE_FD = 3;

const MEMORY = {
  boot: 'own',
  'boot-template': 'shared-file',
  'template-mapped': 'private-file',
  'template-saved': 'own',
  fork: 'own',
} as const;

/**
 * `boot-template` boots with the memory in a file that becomes a template's; `template-mapped`
 * resumes on a private mapping of that file; `template-saved` and `fork` load the memory with the
 * saved state.
 */
export type StartFrom = keyof typeof MEMORY;

export interface StartQemuOptions {
  readonly from: StartFrom;
  readonly signal?: AbortSignal | undefined;
  /** `network`: what it may reach. */
  onSpawned(identity: ProcessIdentity, network: ComputerNetwork): Promise<void>;
}

/**
 * Starts a machine's QEMU: boots its guest or resumes it. Resolves when the guest's processors run.
 * Throws ApiError with QEMU's message, and then no process is left.
 */
export async function startQemu(
  host: QemuHost,
  workspace: Workspace,
  machine: Pick<MachineRecord, 'spec' | 'image' | 'layers' | 'resumeMac'>,
  { from, signal, onSpawned }: StartQemuOptions,
): Promise<QemuProcess> {
  const restricted = host.networkOf(machine.spec.id);
  const [acceleration, network] = await Promise.all([
    host.acceleration(signal),
    host.network(restricted),
  ]);
  const volumes = await servedVolumes(host.layout, machine.spec.volumes);
  const relayPort = hasRelay(machine) ? SSH_PORT : undefined;
  const resume = from !== 'boot' && from !== 'boot-template';
  const state = resume ? await open(join(workspace.directory, FILES.state), 'r') : undefined;
  try {
    const isPlain = state !== undefined && !(await isCompressed(state));
    const qemu = await QemuProcess.start(host, {
      ...workspace,
      arguments: hardwareArguments(machine, {
        acceleration,
        network: netdevArguments(network, relayPort),
        mac: (from === 'fork' ? machine.resumeMac : null) ?? macAddress(machine.spec.id),
        generation: randomUUID(),
        memory: MEMORY[from],
        resume,
      }),
      acceleration: acceleration.kind,
      network,
      volumes,
      hadConnections: from === 'fork',
      signal,
      onSpawned: (identity) => onSpawned(identity, restricted),
      ...(isPlain && { inherit: state.fd }),
      ...(relayPort !== undefined && { relayPort }),
    });
    if (state === undefined) return qemu;
    try {
      await resumeFromState(qemu, {
        state: isPlain ? STATE_FD : state,
        mapped: from === 'template-mapped',
        signal,
      });
      return qemu;
    } catch (cause) {
      await qemu.end(0);
      signal?.throwIfAborted();
      const lines = await lastLogLines(workspace.directory);
      throw new ApiError('guest_failed', `QEMU cannot resume the saved state: ${lines}`, { cause });
    }
  } finally {
    await state?.close();
  }
}

/** An imported disk's SSH server is reached over the guest's network. */
function hasRelay({ image }: Pick<MachineRecord, 'image'>): boolean {
  return image.kind === 'disk' && image.user !== null;
}
