import { readFile } from 'node:fs/promises';
import { type ProcessIdentity, parseStat } from './identity.js';

/** Clock ticks per second in /proc: the same on every architecture of Linux. */
const TICKS = 100;

/** The resource usage of a process. */
export interface ProcessUsage {
  /** Processor time of all its threads since it was started. */
  readonly cpuSeconds: number;
  /** Memory that is present, parts shared with other processes included. */
  readonly residentBytes: number;
}

/** Undefined if this very process no longer runs. */
export async function processUsage({
  pid,
  startTime,
}: ProcessIdentity): Promise<ProcessUsage | undefined> {
  const [stat = '', status = ''] = await Promise.all(
    ['stat', 'status'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
  );
  // A zombie has no memory any more.
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (parseStat(stat).startTime !== startTime || resident === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { cpuSeconds: ticks / TICKS, residentBytes: Number(resident) * 1024 };
}
