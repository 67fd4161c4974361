import { constants } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../../../lib/async/sleep.js';
import { type ProcessIdentity, processIs, signalProcess } from '../../../lib/process/identity.js';
import { netdevArguments } from '../network/netdev.js';
import { planNetwork } from '../network/plan.js';
import { probeNetwork } from '../network/probe.js';
import { chownToMachine, prepareDirectory } from '../process/account.js';
import { waitForExit } from '../process/exit.js';
import { hardeningArguments } from '../process/hardening.js';
import { readTail } from '../process/log.js';
import { spawnProcess } from '../process/spawn.js';
import { accelerationArguments } from './arguments.js';
import { createProbeDirectory } from './probe-directory.js';

const SUCCESS = 'vc-probe-ok';
const CONSOLE = 'console.log';
const POLL_MS = 50;

export interface KvmProbeRequest {
  /** The engine's state directory. */
  readonly stateDirectory: string;
  readonly program: string;
  readonly kernel: string;
  /** Prints `vc-probe-ok` on the console if `vc.probe` is on the kernel's command line. */
  readonly initrd: string;
  readonly signal?: AbortSignal;
}

/**
 * Boots a throwaway VM under KVM, in a new directory in `parent`. Returns why it did not boot
 * within `timeoutMs` milliseconds, undefined if it did.
 */
export async function bootProbe(
  request: KvmProbeRequest,
  parent: string,
  timeoutMs: number,
): Promise<string | undefined> {
  const { program, kernel, initrd, signal } = request;
  const probe = await probeNetwork(signal);
  const network = await planNetwork(probe, { internet: false, allowNetworks: [] });
  const directory = await createProbeDirectory(parent);
  let identity: ProcessIdentity | undefined;
  try {
    const account = await prepareDirectory(directory);
    const copies = [join(directory, 'kernel'), join(directory, 'initrd')] as const;
    await copyFile(kernel, copies[0], constants.COPYFILE_FICLONE);
    await copyFile(initrd, copies[1], constants.COPYFILE_FICLONE);
    await chownToMachine(account, ...copies);
    const spawned = await spawnProcess({
      ...{ directory, account, program, network, acceleration: 'kvm' },
      args: [...ARGUMENTS, ...netdevArguments(network)],
      ...(signal ? { signal } : {}),
    });
    ({ identity } = spawned);
    if (await probeSucceeded(directory, identity, timeoutMs, signal)) return undefined;
    const running = await processIs(identity);
    if (running) return `a guest did not boot under KVM within ${timeoutMs / 1000} s`;
    return `a guest fails under KVM on this host (QEMU: ${await spawned.lastLogLines()})`;
  } finally {
    if (identity !== undefined) {
      await signalProcess(identity, 'SIGKILL');
      await waitForExit(directory, identity);
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

async function probeSucceeded(
  directory: string,
  identity: ProcessIdentity,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (let running = true; running && performance.now() < deadline; ) {
    running = await processIs(identity);
    if ((await readTail(join(directory, CONSOLE))).includes(SUCCESS)) return true;
    await sleep(POLL_MS, signal);
  }
  return false;
}
