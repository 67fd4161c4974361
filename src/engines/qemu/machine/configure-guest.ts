import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../contract/errors.js';
import { writeAtomically } from '../disk/files.js';
import { guestIdentity, withAgent } from '../guest/configure.js';
import type { QemuHost } from '../host.js';
import { FILES } from '../layout.js';
import { lastLogLines } from '../process/log.js';
import type { QemuMachine } from './qemu-machine.js';
import type { QemuProcess } from './qemu-process.js';

/** The size of QEMU's ring buffer for the serial console. */
const CONSOLE_BYTES = 65_536;

/** Configures the guest as this machine, then removes the files that it was resumed from. */
export async function configureGuest(
  machine: QemuMachine,
  host: QemuHost,
  signal?: AbortSignal,
): Promise<void> {
  const { record } = machine;
  if (record === undefined) return;
  if (record.image.kind === 'vc') {
    const { guest } = await host.network();
    const identity = guestIdentity(record, guest);
    await withAgent(await machine.workspace(), (agent) => agent.configure(identity, signal), {
      signal,
    });
  }
  if (record.used) return;
  await machine.write({ used: true, resume: null });
  for (const name of [FILES.memory, FILES.state]) {
    await rm(join(machine.directory, name), { force: true });
  }
}

/** Like {@link configureGuest}; ends the QEMU process on failure. */
export async function configureOrEnd(
  machine: QemuMachine,
  host: QemuHost,
  signal: AbortSignal | undefined,
): Promise<void> {
  const exited = new AbortController();
  machine.qemu?.exited.then(() => exited.abort());
  const either = signal ? AbortSignal.any([signal, exited.signal]) : exited.signal;
  try {
    await configureGuest(machine, host, either);
  } catch (cause) {
    const { qemu } = machine;
    if (qemu && !signal?.aborted) await saveConsole(machine, qemu).catch(() => undefined);
    await qemu?.end(0);
    signal?.throwIfAborted();
    if (!exited.signal.aborted) throw cause;
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
