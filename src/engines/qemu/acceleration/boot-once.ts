import { constants } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hardeningArguments } from '../hardening.js';
import { netdevArguments, planNetwork, probeNetwork } from '../network/index.js';
import {
  giveToMachine,
  launch,
  type ProcessIdentity,
  prepareDirectory,
  processIs,
  signalProcess,
  waitForEnd,
} from '../process/index.js';
import { readTail } from '../process/log.js';
import { accelerationArguments, type KvmProbeRequest } from './kvm.js';
import { makeProbeDirectory } from './probe-directory.js';

const WORDS = 'vc-probe-ok';
const CONSOLE = 'console.log';

/**
 * Boots a machine of no use under KVM in a directory of its own in `parent`; says why it did not
 * come up within `mostMs` milliseconds.
 */
export async function bootOnce(
  request: KvmProbeRequest,
  parent: string,
  mostMs: number,
): Promise<string | undefined> {
  const { program, kernel, initrd, signal } = request;
  const probe = await probeNetwork(signal);
  const network = await planNetwork(probe, { internet: false, allowNetworks: [] });
  const directory = await makeProbeDirectory(parent);
  let identity: ProcessIdentity | undefined;
  try {
    const account = await prepareDirectory(directory);
    const copies = [join(directory, 'kernel'), join(directory, 'initrd')] as const;
    await copyFile(kernel, copies[0], constants.COPYFILE_FICLONE);
    await copyFile(initrd, copies[1], constants.COPYFILE_FICLONE);
    await giveToMachine(account, ...copies);
    const launched = await launch({
      ...{ directory, account, program, network, acceleration: 'kvm' },
      args: [...ARGUMENTS, ...netdevArguments(network)],
      ...(signal ? { signal } : {}),
    });
    ({ identity } = launched);
    if (await saysSo(directory, identity, mostMs, signal)) return undefined;
    const still = await processIs(identity);
    if (still) return `a guest did not come up under KVM within ${mostMs / 1000} s`;
    const words = await launched.lastWords();
    return `a guest fails under KVM on this host (QEMU: ${words})`;
  } finally {
    if (identity !== undefined) {
      await signalProcess(identity, 'SIGKILL');
      await waitForEnd(directory, identity);
    }
    await rm(directory, { recursive: true, force: true });
  }
}

const ARGUMENTS = [
  ...hardeningArguments,
  ...['-machine', 'q35', ...accelerationArguments({ usable: true }), '-m', '512'],
  ...['-display', 'none', '-vga', 'none', '-no-reboot', '-serial', `file:${CONSOLE}`],
  ...['-kernel', 'kernel', '-initrd', 'initrd'],
  ...['-append', 'console=ttyS0 panic=-1 vc.probe'],
];

async function saysSo(
  directory: string,
  identity: ProcessIdentity,
  mostMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const deadline = performance.now() + mostMs;
  for (let running = true; running && performance.now() < deadline; ) {
    running = await processIs(identity);
    if ((await readTail(join(directory, CONSOLE))).includes(WORDS)) return true;
    await sleep(50, undefined, signal ? { signal } : {});
  }
  return false;
}
