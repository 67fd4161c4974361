import type { JobState } from './types.js';

/** Fields that stand for one job. */
const FIELDS = 9;

/**
 * Takes one job's fields from the front of what the guest printed. Whatever the guest made of the
 * files, only numbers become numbers. Undefined when there is no whole job.
 */
export function takeJob(bytes: Buffer): { job: JobState; rest: Buffer } | undefined {
  const fields: string[] = [];
  let rest = bytes;
  while (fields.length < FIELDS) {
    const end = rest.indexOf(0);
    if (end === -1) return undefined;
    fields.push(rest.toString('utf8', 0, end));
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

/** Bytes at the end of a text that are the beginning of a character, 0 to 3: RFC 3629. */
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
