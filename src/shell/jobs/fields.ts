import { isJobId } from './id.js';
import type { JobState } from './types.js';

/** Number of fields per job. */
const FIELDS = 9;
/** Longest field in bytes; a command is cut to 1,000. */
const MOST_FIELD_BYTES = 1024;
/** Most bytes of one job. */
export const MOST_JOB_BYTES = FIELDS * (MOST_FIELD_BYTES + 1);

/**
 * Parses at most `most` jobs from the start of the guest's output, and leaves out those with an
 * invalid id.
 */
export function takeJobs(bytes: Buffer, most: number): JobState[] {
  const jobs: JobState[] = [];
  let rest = bytes;
  for (let taken = 0; taken < most; taken += 1) {
    const next = takeJob(rest);
    if (next === undefined) break;
    if (isJobId(next.job.id)) jobs.push(next.job);
    rest = next.rest;
  }
  return jobs;
}

/**
 * Parses one job's fields from the start of the guest's output; invalid numbers become defaults.
 * Undefined when there is no complete job.
 */
export function takeJob(bytes: Buffer): { job: JobState; rest: Buffer } | undefined {
  const fields: string[] = [];
  let rest = bytes;
  while (fields.length < FIELDS) {
    const end = rest.indexOf(0);
    if (end === -1) return undefined;
    fields.push(rest.toString('utf8', 0, Math.min(end, MOST_FIELD_BYTES)));
    rest = rest.subarray(end + 1);
  }
  const [id = '', status, pid, code, at, ended, size, cut, command = ''] = fields;
  const isRunning = status === 'running';
  const job: JobState = {
    id,
    pid: integer(pid) ?? 0,
    status: isRunning ? 'running' : 'exited',
    exitCode: isRunning ? null : (integer(code) ?? null),
    command,
    startedAt: date(at) ?? new Date(0),
    endedAt: isRunning ? null : (date(ended) ?? null),
    outputBytes: integer(size) ?? 0,
    truncated: cut === '1',
  };
  return { job, rest };
}

/** Number of bytes at the end of a text that are part of an incomplete character, 0 to 3 (RFC 3629). */
export function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

function date(text: string | undefined): Date | undefined {
  const seconds = integer(text);
  return seconds === undefined ? undefined : new Date(seconds * 1000);
}
