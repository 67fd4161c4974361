import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../contract/errors.js';
import { sleep } from '../../../lib/async/sleep.js';
import { errorMessage } from '../../../lib/text/error-message.js';
import { createTopLayer } from '../disk/layers.js';
import { mergeLayers } from '../disk/merge-layers.js';
import { withAgent } from '../guest/agent.js';
import type { QemuHost } from '../host.js';
import { cancelMigration, PAUSED_STATES } from '../snapshots/migration.js';
import type { Templates } from '../snapshots/templates/templates.js';
import { hasVolumes } from './arguments.js';
import { configureOrEnd } from './configure-guest.js';
import type { MachineRecord } from './machine-record.js';
import type { QemuMachine } from './qemu-machine.js';
import { type StartFrom, startQemu } from './start-qemu.js';

/** Time for the guest's agent to accept a shutdown. */
const SHUTDOWN_MS = 2_000;

export interface StartParts {
  readonly host: QemuHost;
  readonly templates: Pick<
    Templates,
    'linkTemplate' | 'reportFailure' | 'reportSuccess' | 'buildInBackground'
  >;
  /** Called when a resumed guest runs: its screen can be dialled from then on. */
  readonly onRunning?: (() => void) | undefined;
  /** Receives one line about each problem that did not prevent the start. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

/** A guest that hits the full disk again after `cont` pauses within this time. */
const DISK_FULL_AGAIN_MS = 300;

/**
 * Starts a machine, or finishes an earlier start: *resumes* its guest from saved memory where there
 * is any, else *boots* it. Resolves when the guest is configured; its desktop may still be starting.
 * When it rejects, no process is left, unless the guest is paused because the host's disk is full.
 */
export async function startMachine(
  machine: QemuMachine,
  parts: StartParts,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  await machine.recordExit();
  if (machine.record?.resume === 'pool' && (await resumeClaimed(machine, parts, signal))) return;
  if (await resumeExisting(machine, signal)) {
    if (!machine.record?.used) await configureOrEnd(machine, parts.host, signal);
    return;
  }
  const record = await machine.write({ intended: 'running', process: null, failure: null });
  try {
    if (record.used) await bootUsed(machine, parts, record, signal);
    else await startUnused(machine, parts, record, signal);
  } catch (error) {
    await machine.tryWrite({ intended: 'stopped', process: null });
    throw error;
  }
}

/** Resumes a machine claimed from the pool. False if that failed: it must be started otherwise. */
async function resumeClaimed(
  machine: QemuMachine,
  parts: StartParts,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    await machine.write({ intended: 'running', failure: null });
    if (await resumeExisting(machine, signal)) {
      parts.onRunning?.();
      await configureOrEnd(machine, parts.host, signal);
      return true;
    }
  } catch (error) {
    await machine.qemu?.end(0);
    await machine.tryWrite({ intended: 'stopped', process: null });
    signal?.throwIfAborted();
    parts.onProblem?.(`A warm machine cannot be resumed: ${errorMessage(error)}`);
  }
  await machine.write({ resume: null, resumeMac: null });
  return false;
}

/** Makes the guest of a QEMU that is alive run. False if there is none that can. */
async function resumeExisting(
  machine: QemuMachine,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { qemu, record } = machine;
  if (qemu === undefined) return false;
  const call = signal ? { signal } : {};
  const status = await qemu.status(call);
  if (status === 'running') return true;
  if (record?.used && PAUSED_STATES.has(status)) {
    await cancelMigration(qemu, call);
    return true;
  }
  if (status !== 'paused' && status !== 'io-error') {
    // An earlier start was interrupted, or the guest has shut down.
    await qemu.end(0);
    return false;
  }
  await qemu.execute('cont', undefined, call);
  await sleep(status === 'io-error' ? DISK_FULL_AGAIN_MS : 0);
  if (machine.pauseReason !== undefined) throw new ApiError('guest_failed', machine.pauseReason);
  return true;
}

async function bootUsed(
  machine: QemuMachine,
  parts: StartParts,
  record: MachineRecord,
  signal: AbortSignal | undefined,
): Promise<void> {
  await mergeLayers(machine, record, { signal, onProblem: parts.onProblem });
  if (record.resumeMac) await machine.write({ resumeMac: null });
  await startFrom('boot', machine, parts, signal);
}

/** The first start: resumes the memory of a saved disk or a template if there is one, else boots. */
async function startUnused(
  machine: QemuMachine,
  parts: StartParts,
  record: MachineRecord,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (record.resume === 'fork') {
    await replaceTopLayer(machine, record.layers.slice(0, -1));
    return startFrom('fork', machine, parts, signal);
  }
  const { templates } = parts;
  const isPlain = record.image.kind === 'vc' && !hasVolumes(record.spec);
  const template = isPlain ? await templates.linkTemplate(machine, signal) : null;
  if (template) {
    try {
      await replaceTopLayer(machine, template.layers);
      await machine.write({ resume: 'template' });
      const from = template.memory === 'mapped' ? 'template-mapped' : 'template-saved';
      await startFrom(from, machine, parts, signal);
      templates.reportSuccess(template.key);
      return;
    } catch (error) {
      signal?.throwIfAborted();
      await templates.reportFailure(template.key, error);
    }
  }
  await replaceTopLayer(machine, record.base);
  await machine.write({ resume: null });
  await startFrom('boot', machine, parts, signal);
  // No template yet; build one in the background.
  const isOfImage = record.spec.from?.kind !== 'snapshot';
  if (isPlain && isOfImage) void templates.buildInBackground(record.spec);
}

async function startFrom(
  from: StartFrom,
  machine: QemuMachine,
  { host, onRunning }: StartParts,
  signal: AbortSignal | undefined,
): Promise<void> {
  const workspace = await machine.workspace();
  const { record } = machine;
  if (record === undefined) throw new Error(`machine ${machine.id} has no record`);
  const qemu = await startQemu(host, workspace, record, {
    from,
    signal,
    onSpawned: async (process, network) => {
      await machine.write({ process, network });
    },
  });
  machine.attach(qemu);
  if (from === 'template-mapped' || from === 'template-saved') onRunning?.();
  await configureOrEnd(machine, host, signal, from === 'fork' ? onRunning : undefined);
}

/** Replaces the layer that the machine writes to with a new, empty one over `below`. */
async function replaceTopLayer(machine: QemuMachine, below: readonly string[]): Promise<void> {
  const workspace = await machine.workspace();
  const { record } = machine;
  const backing = below.at(-1);
  if (record === undefined || backing === undefined) return;
  const name = await createTopLayer(workspace, backing, record.image.diskBytes);
  const before = record.layers.at(-1);
  await machine.write({ layers: [...below, name] });
  if (before && before !== name) await rm(join(workspace.directory, before), { force: true });
}

/** Stops a machine in any state; gives its guest `graceMs` to shut down. */
export async function stopMachine(machine: QemuMachine, graceMs: number): Promise<void> {
  if (machine.record === undefined) return;
  await machine.recordExit();
  if (machine.record.intended === 'running') await machine.tryWrite({ intended: 'stopped' });
  const { qemu } = machine;
  if (qemu) {
    const end = performance.now() + graceMs;
    const paused = machine.pauseReason !== undefined;
    const graceful = graceMs > 0 && !paused && (await requestShutdown(machine, graceMs));
    await qemu.end(graceful ? Math.max(1, end - performance.now()) : 0);
  }
  if (machine.record.process) await machine.tryWrite({ process: null });
}

/** Asks the guest to shut down. Returns whether it accepted. */
async function requestShutdown(machine: QemuMachine, graceMs: number): Promise<boolean> {
  const timeoutMs = Math.min(graceMs, SHUTDOWN_MS);
  try {
    if (machine.record?.image.kind === 'vc') {
      const workspace = await machine.workspace();
      await withAgent(workspace, (agent) => agent.shutdown(timeoutMs), { timeoutMs });
    } else await machine.qemu?.execute('system_powerdown', undefined, { timeoutMs });
    return true;
  } catch {
    return false;
  }
}
