import { join } from 'node:path';
import { ApiError } from '../../../contract/errors.js';
import { NotListening } from '../../socket-file.js';
import { writeAtomically } from '../disk/files.js';
import { type Agent, guestIdentity, withAgent } from '../guest/agent.js';
import type { QemuHost } from '../host.js';
import { FILES } from '../layout.js';
import { Disconnected } from '../monitor/json-peer.js';
import { lastLogLines } from '../process/log.js';
import { removeResumeFiles } from '../snapshots/migration.js';
import type { QemuMachine } from './qemu-machine.js';
import type { QemuProcess } from './qemu-process.js';

/** Time for the guest's agent to end a connection. */
const RESET_MS = 5_000;
/** The size of QEMU's ring buffer for the serial console. */
const CONSOLE_BYTES = 65_536;

/**
 * Configures the guest as this machine, then removes the files that it was resumed from. Calls
 * `onConnectable` before it configures it, when its screen can be dialled.
 */
export async function configureGuest(
  machine: QemuMachine,
  host: QemuHost,
  signal?: AbortSignal,
  onConnectable: () => void = () => undefined,
): Promise<void> {
  const { record } = machine;
  if (record === undefined) return;
  if (record.image.kind === 'vc') {
    const { guest } = await host.network();
    const identity = guestIdentity(record, guest);
    const work = async (agent: Agent) => {
      if (record.resume === 'fork') await endConnections(machine, agent, signal);
      const { volumes = [] } = record.spec;
      // Before the desktop, whose programs may use them.
      if (volumes.length > 0) await agent.mount(volumes, signal);
      onConnectable();
      await agent.configure(identity, signal);
    };
    await withAgent(await machine.workspace(), work, { signal });
  }
  if (record.used) return;
  await machine.write({ used: true, resume: null });
  await removeResumeFiles(machine.directory);
}

/**
 * Ends the connections that the guest of a copy has inherited from its source. If that fails, each
 * one is reset when the next is dialled.
 */
async function endConnections(
  { qemu }: QemuMachine,
  agent: Agent,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    for (const stream of ['screen', 'shell'] as const) await agent.reset(stream, RESET_MS, signal);
    qemu?.connectionsEnded();
  } catch {
    signal?.throwIfAborted();
  }
}

/** Like {@link configureGuest}; ends the QEMU process on failure. */
export async function configureOrEnd(
  machine: QemuMachine,
  host: QemuHost,
  signal: AbortSignal | undefined,
  onConnectable?: () => void,
): Promise<void> {
  const exited = new AbortController();
  machine.qemu?.exited.then(() => exited.abort());
  const either = signal ? AbortSignal.any([signal, exited.signal]) : exited.signal;
  try {
    await configureGuest(machine, host, either, onConnectable);
  } catch (cause) {
    const { qemu } = machine;
    // QEMU's end can be noticed later than that of its connections.
    const hasEnded =
      exited.signal.aborted || cause instanceof Disconnected || cause instanceof NotListening;
    if (qemu && !signal?.aborted) await saveConsole(machine, qemu).catch(() => undefined);
    await qemu?.end(0);
    signal?.throwIfAborted();
    if (!hasEnded) throw cause;
    const lines = await lastLogLines(machine.directory);
    throw new ApiError('guest_failed', `The computer ended while it was starting: ${lines}`, {
      cause,
    });
  }
}

/** Saves the guest's console output, for the operator to find out why it failed. */
async function saveConsole(machine: QemuMachine, qemu: QemuProcess): Promise<void> {
  const ring = { device: 'console', size: CONSOLE_BYTES };
  const text = await qemu.execute('ringbuf-read', ring, { timeoutMs: 2_000 });
  await writeAtomically(join(machine.directory, FILES.console), String(text));
}
