import { readFile } from 'node:fs/promises';

/** A process, told apart from any later one with the same id, also after the host was restarted. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks after the host's start, as in /proc/PID/stat. */
  readonly startTime: number;
  readonly bootId: string;
  readonly uid: number;
}

/** Changes each time the host starts. */
export async function currentBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

/** Does that very process still run? A zombie does not. */
export async function processIs(identity: ProcessIdentity): Promise<boolean> {
  if ((await currentBootId()) !== identity.bootId) return false;
  const [stat, status] = await Promise.all(
    ['stat', 'status'].map((file) =>
      readFile(`/proc/${identity.pid}/${file}`, 'utf8').catch(() => ''),
    ),
  );
  const { state, startTime } = parseStat(stat ?? '');
  if (state === undefined || 'ZX'.includes(state)) return false;
  const uid = Number(/^Uid:\s+(\d+)/m.exec(status ?? '')?.[1]);
  return startTime === identity.startTime && uid === identity.uid;
}

/** Sends a signal if that very process still runs; says whether it did. */
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

/** State and start time of /proc/PID/stat; the program's name, in brackets, may hold anything. */
export function parseStat(text: string): { state?: string; startTime?: number } {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  return state ? { state, startTime: Number(fields[19]) } : {};
}
