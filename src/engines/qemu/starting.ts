import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../contract/errors.js';
import { flatten, LAYERS } from './disk.js';
import { writeAtomically } from './files.js';
import { abandonSave, STANDING } from './fork/abandon.js';
import { identityOf, withAgent } from './guest/configure.js';
import type { Host } from './host.js';
import { FILES } from './layout.js';
import type { QemuMachine } from './machine.js';
import { powerOn } from './power.js';
import { giveToMachine, lastWords } from './process/index.js';
import { createLayer, layerName } from './qcow2.js';
import type { Qemu } from './qemu.js';
import type { MachineRecord } from './record.js';
import type { Templates } from './templates/index.js';

export interface StartParts {
  readonly host: Host;
  readonly templates: Pick<Templates, 'offer' | 'reject' | 'proved' | 'wanted'>;
  /** Called when a guest that was saved runs again: its screen is there at once. */
  readonly onRunning?: (() => void) | undefined;
  /** Told in one line what was got over. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

/** All that QEMU keeps of the serial console. */
const CONSOLE_BYTES = 65_536;
/** A guest that goes on and meets the same full disk says so within this time. */
const RELAPSE_MS = 300;

/**
 * Starts a machine, or finishes an earlier start. Resolves when its guest is who it is to be: its
 * desktop may still be coming up. When it rejects, no process is left, unless the guest only waits
 * for room on the host's disk.
 */
export async function startMachine(
  machine: QemuMachine,
  parts: StartParts,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  await machine.judge();
  if (machine.record?.resume === 'spare' && (await startSpare(machine, parts, signal))) return;
  if (await goesOn(machine, signal)) {
    if (!machine.record?.used) await configureOrEnd(machine, parts, signal);
    return;
  }
  const record = await machine.write({ intended: 'running', process: null, failure: null });
  try {
    if (record.used) await bootUsed(machine, parts, record, signal);
    else await startFirst(machine, parts, record, signal);
  } catch (error) {
    await machine.note({ intended: 'stopped', process: null });
    throw error;
  }
}

/** Makes the guest who it is to be; what it was started from is not needed any more. */
export async function finishConfiguring(
  machine: QemuMachine,
  { host }: StartParts,
  signal?: AbortSignal,
): Promise<void> {
  const { record } = machine;
  if (record === undefined) return;
  if (record.image.kind === 'vc') {
    const { guest } = await host.network();
    const identity = identityOf(record, guest);
    await withAgent(await machine.place(), (agent) => agent.configure(identity, signal), {
      signal,
    });
  }
  if (record.used) return;
  await machine.write({ used: true, resume: null });
  for (const name of [FILES.memory, FILES.state]) {
    await rm(join(machine.directory, name), { force: true });
  }
}

/**
 * Tells the guest that waits in the machine's directory who it is. False when it could not be used:
 * it is gone, and the machine has yet to be started.
 */
async function startSpare(
  machine: QemuMachine,
  parts: StartParts,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    await machine.write({ intended: 'running', failure: null });
    if (await goesOn(machine, signal)) {
      parts.onRunning?.();
      await configureOrEnd(machine, parts, signal);
      return true;
    }
  } catch (error) {
    await machine.qemu?.end(0);
    await machine.note({ intended: 'stopped', process: null });
    signal?.throwIfAborted();
    const words = error instanceof Error ? error.message : String(error);
    parts.onProblem?.(`A spare machine could not be used: ${words}`);
  }
  await machine.write({ resume: null, resumeMac: null });
  return false;
}

/** True when its QEMU runs the guest, perhaps again. */
async function goesOn(machine: QemuMachine, signal: AbortSignal | undefined): Promise<boolean> {
  const { qemu, record } = machine;
  if (qemu === undefined) return false;
  const call = signal ? { signal } : {};
  const status = await qemu.status(call);
  if (status === 'running') return true;
  if (record?.used && STANDING.has(status)) {
    await abandonSave(qemu, call);
    return true;
  }
  if (status !== 'paused' && status !== 'io-error') {
    // It never came to run its guest, or the guest has ended.
    await qemu.end(0);
    return false;
  }
  await qemu.execute('cont', undefined, call);
  await sleep(status === 'io-error' ? RELAPSE_MS : 0);
  if (machine.trouble !== undefined) throw new ApiError('guest_failed', machine.trouble);
  return true;
}

async function bootUsed(
  machine: QemuMachine,
  parts: StartParts,
  record: MachineRecord,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { directory, account } = await machine.place();
  const [backing, top] = [record.layers[0], record.layers.at(-1)];
  if (record.layers.length > LAYERS.usual && backing && top) {
    await flatten(directory, { top, backing }, account, signal);
    await machine.write({ layers: [backing, top] });
    for (const layer of record.layers.slice(1, -1))
      await rm(join(directory, layer), { force: true });
  }
  if (record.resumeMac) await machine.write({ resumeMac: null });
  await power(machine, parts, 'boot', signal);
  await configureOrEnd(machine, parts, signal);
}

/** The first start, which nobody has seen anything of: from a template if there is one. */
async function startFirst(
  machine: QemuMachine,
  parts: StartParts,
  record: MachineRecord,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (record.resume === 'fork') {
    await renewTop(machine, record.layers.slice(0, -1));
    await power(machine, parts, 'fork', signal);
    return configureOrEnd(machine, parts, signal);
  }
  const template = record.image.kind === 'vc' ? await parts.templates.offer(machine, signal) : null;
  if (template) {
    try {
      await renewTop(machine, template.layers);
      await machine.write({ resume: 'template' });
      await power(machine, parts, template.memory === 'mapped' ? 'template' : 'saved', signal);
      parts.onRunning?.();
      await configureOrEnd(machine, parts, signal);
      parts.templates.proved(template.key);
      return;
    } catch (error) {
      signal?.throwIfAborted();
      await parts.templates.reject(template.key, error);
    }
  }
  await renewTop(machine, [FILES.image]);
  await machine.write({ resume: null });
  await power(machine, parts, 'boot', signal);
  await configureOrEnd(machine, parts, signal);
  if (record.image.kind === 'vc') parts.templates.wanted(record.spec);
}

async function power(
  machine: QemuMachine,
  { host }: StartParts,
  from: 'boot' | 'template' | 'saved' | 'fork',
  signal: AbortSignal | undefined,
): Promise<Qemu> {
  const place = await machine.place();
  const { record } = machine;
  if (record === undefined) throw new Error(`machine ${machine.id} has no record`);
  const qemu = await powerOn(host, place, record, {
    from,
    signal,
    onLaunched: async (process) => {
      await machine.write({ process });
    },
  });
  machine.attach(qemu);
  return qemu;
}

async function configureOrEnd(
  machine: QemuMachine,
  parts: StartParts,
  signal: AbortSignal | undefined,
): Promise<void> {
  const gone = new AbortController();
  const onEnd = () => gone.abort();
  machine.qemu?.ended.then(onEnd);
  const either = signal ? AbortSignal.any([signal, gone.signal]) : gone.signal;
  try {
    await finishConfiguring(machine, parts, either);
  } catch (cause) {
    const { qemu } = machine;
    if (qemu && !signal?.aborted) await keepConsole(machine, qemu).catch(() => undefined);
    await qemu?.end(0);
    signal?.throwIfAborted();
    if (!gone.signal.aborted) throw cause;
    const words = await lastWords(machine.directory);
    const message = `The computer ended while it was starting: ${words}`;
    throw new ApiError('guest_failed', message, { cause });
  }
}

/** What the guest's system has said last, for whoever looks for the reason. */
async function keepConsole(machine: QemuMachine, qemu: Qemu): Promise<void> {
  const question = { device: 'console', size: CONSOLE_BYTES };
  const text = await qemu.execute('ringbuf-read', question, { timeoutMs: 2_000 });
  await writeAtomically(join(machine.directory, FILES.console), String(text));
}

/** A new, empty layer to write to, over `below`. */
export async function renewTop(machine: QemuMachine, below: readonly string[]): Promise<void> {
  const { directory, account } = await machine.place();
  const { record } = machine;
  const backing = below.at(-1);
  if (record === undefined || backing === undefined) return;
  const name = layerName();
  await createLayer(directory, { name, backing, bytes: record.image.diskBytes });
  await giveToMachine(account, join(directory, name));
  const before = record.layers.at(-1);
  await machine.write({ layers: [...below, name] });
  if (before && before !== name) await rm(join(directory, before), { force: true });
}
