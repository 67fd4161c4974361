import { constants } from 'node:fs';
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../../../lib/async/sleep.js';
import {
  currentBootId,
  type ProcessIdentity,
  parseStat,
  processIs,
  signalProcess,
} from '../../../lib/process/identity.js';
import { netdevArguments, planNetwork } from '../network/plan.js';
import { probeNetwork } from '../network/probe.js';
import { chownToMachine, prepareDirectory } from '../process/account.js';
import { hardeningArguments } from '../process/command.js';
import { readTail } from '../process/log.js';
import { readProcessRecord, waitForExit } from '../process/process-record.js';
import { spawnProcess } from '../process/spawn.js';

const SUCCESS = 'vc-probe-ok';
const CONSOLE = 'console.log';
const POLL_MS = 50;
/** `kvm-PID-START-…`, with the process id and start time of the owner. */
const NAME = /^kvm-(\d+)-(\d+)-\w+$/;

const ARGUMENTS = [
  ...hardeningArguments,
  ...accelerationArguments({ usable: true }),
  '-machine',
  'q35',
  '-m',
  '512',
  '-display',
  'none',
  '-vga',
  'none',
  '-no-reboot',
  '-serial',
  `file:${CONSOLE}`,
  '-kernel',
  'kernel',
  '-initrd',
  'initrd',
  '-append',
  'console=ttyS0 panic=-1 vc.probe',
];

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
 * QEMU's accelerator and CPU arguments. TCG emulates the CPU with the most features but without
 * SMAP: before version 9.1, QEMU treats the IRET by which Wine and .NET resume a thread as a
 * supervisor access, and with SMAP the guest's kernel kills the program for it.
 */
export function accelerationArguments({ usable }: { readonly usable: boolean }): string[] {
  return usable
    ? ['-accel', 'kvm', '-cpu', 'host']
    : ['-accel', 'tcg,thread=multi', '-cpu', 'max,-smap'];
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
      directory,
      account,
      program,
      network,
      acceleration: 'kvm',
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

/** The parent of all probe directories. */
export function probesIn(engineDirectory: string): string {
  return join(engineDirectory, 'qemu');
}

/** Creates a directory that this process owns. */
export async function createProbeDirectory(parent: string): Promise<string> {
  const { pid, startTime } = await ownIdentity();
  return mkdtemp(join(parent, `kvm-${pid}-${startTime}-`));
}

/** Kills and removes the probes whose owner no longer runs. */
export async function removeAbandonedProbes(parent: string): Promise<void> {
  const own = await ownIdentity();
  for (const name of await readdir(parent).catch(() => [])) {
    const [isProbe, pid, startTime] = NAME.exec(name) ?? [];
    if (isProbe === undefined) continue;
    const owner = { ...own, pid: Number(pid), startTime: Number(startTime) };
    if (await processIs(owner)) continue;
    const directory = join(parent, name);
    const identity = (await readProcessRecord(directory))?.identity;
    if (identity && (await signalProcess(identity, 'SIGKILL'))) {
      await waitForExit(directory, identity);
    }
    await rm(directory, { recursive: true, force: true });
  }
}

async function ownIdentity(): Promise<ProcessIdentity> {
  const { startTime = 0 } = parseStat(await readFile('/proc/self/stat', 'utf8'));
  const uid = process.getuid?.() ?? 0;
  return { pid: process.pid, startTime, bootId: await currentBootId(), uid };
}
