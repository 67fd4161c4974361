import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  currentBootId,
  type ProcessIdentity,
  parseStat,
  processIs,
  signalProcess,
} from '../../../lib/process/identity.js';
import { waitForExit } from '../process/exit.js';
import { readProcessRecord } from '../process/process-record.js';

/** `kvm-PID-START-…`, with the process id and start time of the owner. */
const NAME = /^kvm-(?:(\d+)-(\d+)-)?\w+$/;

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
    if (pid !== undefined && (await processIs(owner))) continue;
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
