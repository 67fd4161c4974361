import { withAgent } from '../guest/configure.js';
import type { QemuMachine } from './qemu-machine.js';

/** Time for the guest's agent to accept a shutdown. */
const SHUTDOWN_MS = 2_000;

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
