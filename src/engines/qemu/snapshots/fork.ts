import { ApiError } from '../../../contract/errors.js';
import { errorMessage } from '../../../lib/text/error-message.js';
import { hidePaths } from '../../../lib/text/hide-paths.js';
import { generateKeyPair } from '../../../shell/keys.js';
import type { MachineSpec } from '../../engine.js';
import { removeDirectory } from '../disk/files.js';
import { addLayer, copyVariables, createTopLayer, freeze, share } from '../disk/layers.js';
import { refuseLargeDisk } from '../disk/merge-layers.js';
import { layerName } from '../disk/qcow2.js';
import { guestIdentity, withAgent } from '../guest/agent.js';
import { macAddress } from '../ids.js';
import type { MachineRecord } from '../machine/machine-record.js';
import type { QemuMachine } from '../machine/qemu-machine.js';
import type { QemuProcess } from '../machine/qemu-process.js';
import { type StartParts, startMachine } from '../machine/start-stop.js';
import { saveRunning } from './save-running.js';

/** Time for the source's guest to set its clock. */
const CLOCK_MS = 10_000;

type ForkParts = StartParts & { readonly signal: AbortSignal | undefined };

/**
 * Copies a machine: a running one with its memory, and the copy runs; a stopped one with its disk
 * only. Afterwards each writes to its own disk layer and has its own links to the shared layers,
 * so either can be removed. On failure the source is unchanged and nothing of the copy remains.
 */
export async function forkMachine(
  from: QemuMachine,
  to: QemuMachine,
  spec: MachineSpec,
  parts: ForkParts,
): Promise<void> {
  const { signal } = parts;
  signal?.throwIfAborted();
  await from.recordExit();
  const { record, qemu } = from;
  if (record === undefined) {
    throw new ApiError('not_found', 'The computer to copy no longer exists.', {
      remedy: 'See: vc ls --all',
    });
  }
  if (to.record && (to.record.used || to.record.resume === null)) return;
  await discard(to);
  try {
    if (qemu) {
      assertSameHardware(record.spec, spec);
      await refuseLargeDisk(from.directory, record);
      await forkRunning(from, qemu, to, spec, parts);
    } else {
      const layers = record.used ? await freezeDisk(from, record) : record.layers.slice(0, 1);
      await createCopy(from, to, { ...record, layers: [...layers] }, spec, null);
    }
  } catch (error) {
    await discard(to);
    throw error;
  }
}

async function forkRunning(
  from: QemuMachine,
  qemu: QemuProcess,
  to: QemuMachine,
  spec: MachineSpec,
  parts: ForkParts,
): Promise<void> {
  const { record } = from;
  if (record === undefined) return;
  const { host, signal } = parts;
  const { kind: acceleration } = await host.acceleration(signal);
  try {
    const { directory } = await to.workspace();
    const layers = await saveRunning(from, qemu, record, { directory, acceleration, signal });
    await createCopy(from, to, { ...record, layers: [...layers] }, spec, 'fork');
    await startMachine(to, parts, signal);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof ApiError) throw cause;
    const reason = hidePaths(errorMessage(cause));
    throw new ApiError('internal', `The computer cannot be copied: ${reason}`, { cause });
  }
  // Not awaited: it takes most of a second in an emulated guest, and nothing depends on it.
  void setClock(qemu, record, parts);
}

/** Corrects the clock, which stopped while the guest was paused. Never throws: it can be wrong. */
async function setClock(
  qemu: QemuProcess,
  record: MachineRecord,
  { host, signal }: ForkParts,
): Promise<void> {
  // It may have been stopped or removed meanwhile.
  if (record.image.kind !== 'vc' || !qemu.alive) return;
  try {
    const { guest } = await host.network();
    const identity = guestIdentity(record, guest);
    const options = { signal, timeoutMs: CLOCK_MS };
    const { workspace } = qemu;
    await withAgent(workspace, (agent) => agent.configure(identity, signal), options);
  } catch {
    // The guest does not answer, or the service stops.
  }
}

async function discard(machine: QemuMachine): Promise<void> {
  await machine.qemu?.end(0);
  await removeDirectory(machine.directory);
  machine.forget();
}

/** Freezes a stopped machine's disk and adds a layer for its further writes. Returns the frozen layers. */
async function freezeDisk(machine: QemuMachine, record: MachineRecord): Promise<readonly string[]> {
  await addLayer(machine, record);
  await freeze(machine.directory, record.layers.slice(1));
  return record.layers;
}

/** Writes the copy's record last: without one the copy does not exist. */
async function createCopy(
  from: QemuMachine,
  to: QemuMachine,
  source: MachineRecord,
  spec: MachineSpec,
  resume: 'fork' | null,
): Promise<void> {
  const workspace = await to.workspace();
  const { directory } = workspace;
  await share(from.directory, directory, source);
  await copyVariables(from, to);
  const stopped = resume === null;
  const backing = source.layers.at(-1) ?? '';
  // A running machine's copy gets its top layer at its first start.
  const top = stopped
    ? await createTopLayer(workspace, backing, source.image.diskBytes)
    : layerName();
  await to.writeNew({
    ...source,
    spec,
    hostKey: generateKeyPair().privateKey,
    resume,
    resumeMac: stopped ? null : (source.resumeMac ?? macAddress(source.spec.id)),
    layers: [...source.layers, top],
    intended: 'stopped',
    used: stopped && source.used,
    process: null,
    failure: null,
  });
}

function assertSameHardware(source: MachineSpec, copy: MachineSpec): void {
  if (source.cpu === copy.cpu && source.ram === copy.ram) return;
  const message =
    'A copy of a running computer must have the same number of cores and memory size.';
  throw new ApiError('invalid_request', message);
}
