import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { MachineSpec } from '../../engine.js';
import { ensureDirectory, removeDirectory } from '../files.js';
import { macAddress } from '../ids.js';
import type { QemuMachine } from '../machine.js';
import { refreshNetwork } from '../network/index.js';
import { signalProcess } from '../process/index.js';

const ANSWER_MS = 2_000;

/**
 * Makes `machine` of a spare: its directory gets the machine's record, then the machine's name. QEMU
 * works in that directory, whatever it is called. A service that ends before the renaming leaves a
 * spare, which the next one removes; one that ends after it a machine that has yet to be started.
 * When it rejects, what is left of either can be removed.
 */
export async function handOver(
  spare: QemuMachine,
  machine: QemuMachine,
  spec: MachineSpec,
): Promise<void> {
  const { qemu, trouble } = spare;
  const status = await qemu?.status({ timeoutMs: ANSWER_MS });
  if (qemu === undefined || status !== 'paused' || trouble !== undefined) {
    throw new Error(trouble ?? `it is ${status ?? 'gone'}`);
  }
  await spare.write({
    ...{ spec, intended: 'stopped', used: false, failure: null },
    ...{ resume: 'spare', resumeMac: macAddress(spare.id), process: qemu.identity },
  });
  await machine.qemu?.end(0);
  await removeDirectory(machine.directory);
  machine.forget();
  await ensureDirectory(dirname(machine.directory));
  // QEMU has one client of its monitor at a time.
  qemu.release();
  await rename(spare.directory, machine.directory);
  spare.forget();
  try {
    await machine.load();
    if (machine.qemu === undefined) throw new Error('it has ended');
    // The host may have got an address since the rules were laid down.
    const { network } = qemu;
    machine.qemu.network = network && (await refreshNetwork(qemu.identity, network));
  } catch (error) {
    // Nobody would find it once its directory is made anew.
    await signalProcess(qemu.identity, 'SIGKILL');
    throw error;
  }
}
