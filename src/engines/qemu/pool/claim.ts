import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { signalProcess } from '../../../lib/process/identity.js';
import type { MachineSpec } from '../../engine.js';
import { ensureDirectory, removeDirectory } from '../disk/files.js';
import { macAddress } from '../ids.js';
import type { QemuMachine } from '../machine/qemu-machine.js';
import { refreshNetwork } from '../network/refresh.js';

const STATUS_MS = 2_000;

/**
 * Turns a warm machine into `machine`: writes the machine's record into its directory, then renames
 * the directory, which its running QEMU does not notice. After a crash before the rename the next
 * service removes the warm machine; after a crash behind it the machine exists and is stopped.
 * When it rejects, the caller can remove both.
 */
export async function claimWarmMachine(
  warm: QemuMachine,
  machine: QemuMachine,
  spec: MachineSpec,
): Promise<void> {
  const { qemu, pauseReason } = warm;
  const status = await qemu?.status({ timeoutMs: STATUS_MS });
  if (qemu === undefined || status !== 'paused' || pauseReason !== undefined) {
    throw new Error(pauseReason ?? `it is ${status ?? 'gone'}`);
  }
  await warm.write({
    ...{ spec, intended: 'stopped', used: false, failure: null },
    ...{ resume: 'pool', resumeMac: macAddress(warm.id), process: qemu.identity },
  });
  await machine.qemu?.end(0);
  await removeDirectory(machine.directory);
  machine.forget();
  await ensureDirectory(dirname(machine.directory));
  // QEMU's monitor accepts one client at a time.
  qemu.release();
  await rename(warm.directory, machine.directory);
  warm.forget();
  try {
    await machine.load();
    if (machine.qemu === undefined) throw new Error('its QEMU has exited');
    // The host's addresses may have changed since the rules were loaded.
    const { network } = qemu;
    machine.qemu.network = network && (await refreshNetwork(qemu.identity, network));
  } catch (error) {
    // When the directory is created again, nothing refers to this process.
    await signalProcess(qemu.identity, 'SIGKILL');
    throw error;
  }
}
