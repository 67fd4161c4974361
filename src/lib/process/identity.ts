import { readFile } from 'node:fs/promises';

/** Identifies a process even if its id is reused later, also across reboots of the host. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot, as in /proc/PID/stat. */
  readonly startTime: number;
  readonly bootId: string;
  readonly uid: number;
}

/** Differs for each boot of the host. */
export async function currentBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

/** True while this very process runs; false for a zombie. */
export async function processIs(identity: ProcessIdentity): Promise<boolean> {
  if ((await currentBootId()) !== identity.bootId) return false;
  const { state, startTime, uid } = await readProcess(identity.pid);
  if (state === undefined || 'ZX'.includes(state)) return false;
  return startTime === identity.startTime && uid === identity.uid;
}

/** Sends a signal if this very process still runs. Returns whether it was sent. */
export async function signalProcess(
  identity: ProcessIdentity,
  signal: NodeJS.Signals,
): Promise<boolean> {
  if (!(await processIs(identity))) return false;
  try {
    return process.kill(identity.pid, signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

/** State and start time from /proc/PID/stat. The program's name, in brackets, may hold any text. */
export function parseStat(text: string): { state?: string; startTime?: number } {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  return state ? { state, startTime: Number(fields[19]) } : {};
}

/** The identity of a process; undefined if there is none, or this system has no /proc. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const { startTime, uid } = await readProcess(pid);
  if (startTime === undefined || uid === undefined) return undefined;
  return { pid, startTime, bootId: await currentBootId(), uid };
}

async function readProcess(pid: number): Promise<ReturnType<typeof parseStat> & { uid?: number }> {
  const [stat = '', status = ''] = await Promise.all(
    ['stat', 'status'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
  );
  const uid = /^Uid:\s+(\d+)/m.exec(status)?.[1];
  return { ...parseStat(stat), ...(uid === undefined ? {} : { uid: Number(uid) }) };
}
