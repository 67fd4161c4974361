import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { eventually } from '../eventually.js';

/** Memory, descriptors and sockets of a process. */
export interface Vitals {
  /** Resident memory in MiB. */
  readonly mib: number;
  readonly descriptors: number;
  /** Sockets among the descriptors. */
  readonly sockets: number;
  readonly children: number;
}

/** Reads it from /proc. Throws if the process does not exist. */
export function vitals(pid: number): Vitals {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return 'closed meanwhile';
    }
  });
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return {
    mib: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024),
    descriptors: open.length,
    sockets: open.filter((name) => name.startsWith('socket:')).length,
    children: children === '' ? 0 : children.split(' ').length,
  };
}

/** Samples the memory of a process; `stop` returns the maximum, in MiB. */
export function watchMemory(pid: number): { stop(): number } {
  let peak = vitals(pid).mib;
  const timer = setInterval(() => {
    try {
      peak = Math.max(peak, vitals(pid).mib);
    } catch {
      // The process has ended; `stop` throws that.
      clearInterval(timer);
    }
  }, 50);
  return {
    stop: () => {
      clearInterval(timer);
      return Math.max(peak, vitals(pid).mib);
    },
  };
}

/** Waits until a process has at most `most` descriptors, and returns its vitals then. */
export function rested(pid: number, most: number, ms = 30_000): Promise<Vitals> {
  let last: Vitals | undefined;
  return eventually(async () => {
    last = vitals(pid);
    return last.descriptors <= most && last;
  }, ms).catch((cause) => {
    throw new Error(`more than ${most} descriptors: ${JSON.stringify(last)}`, { cause });
  });
}
