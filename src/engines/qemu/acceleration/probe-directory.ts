import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  currentBootId,
  type ProcessIdentity,
  parseStat,
  processIs,
  signalProcess,
} from '../process/identity.js';
import { readRecord, waitForEnd } from '../process/index.js';

/** `kvm-PID-START-…`: the process that looks after it, so that nobody else takes it away. */
const NAME = /^kvm-(?:(\d+)-(\d+)-)?\w+$/;

/** Where the directories of probes lie in an engine's directory. */
export function probesIn(engineDirectory: string): string {
  return join(engineDirectory, 'qemu');
}

/** A new directory for a probe of this process. */
export async function makeProbeDirectory(parent: string): Promise<string> {
  const { pid, startTime } = await ownIdentity();
  return mkdtemp(join(parent, `kvm-${pid}-${startTime}-`));
}

/** Ends and removes the probes of processes that were killed in the middle of them. */
export async function removeAbandonedProbes(parent: string): Promise<void> {
  const own = await ownIdentity();
  for (const name of await readdir(parent).catch(() => [])) {
    const [isProbe, pid, startTime] = NAME.exec(name) ?? [];
    if (isProbe === undefined) continue;
    const owner = { ...own, pid: Number(pid), startTime: Number(startTime) };
    if (pid !== undefined && (await processIs(owner))) continue;
    const directory = join(parent, name);
    const identity = (await readRecord(directory))?.identity;
    if (identity && (await signalProcess(identity, 'SIGKILL'))) {
      await waitForEnd(directory, identity);
    }
    await rm(directory, { recursive: true, force: true });
  }
}

async function ownIdentity(): Promise<ProcessIdentity> {
  const { startTime = 0 } = parseStat(await readFile('/proc/self/stat', 'utf8'));
  const uid = process.getuid?.() ?? 0;
  return { pid: process.pid, startTime, bootId: await currentBootId(), uid };
}
