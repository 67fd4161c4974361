import { randomBytes } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';
import { runCommand } from '../command.js';
import type { Connection } from '../connection.js';
import { CappedOutput } from '../output.js';
import { FROM_INPUT } from '../scripts.js';
import { takeJob, unfinished } from './fields.js';
import { endJob, FOUND, listJobs, MISSING, showJob } from './scripts.js';
import type { JobState, Jobs } from './types.js';

/** More than any list or part of an output takes. */
const MOST_BYTES = 4 * 1024 * 1024;
const ANSWER_MS = 15_000;

/** A new id; later ones sort behind earlier ones. */
export function newJobId(): string {
  const time = Date.now().toString(36).padStart(9, '0');
  return `job_${time}${randomBytes(4).toString('hex')}`;
}

/** The background commands at the other end of a connection. */
export function openJobs(connection: Connection): Jobs {
  return {
    async list(signal) {
      let bytes = await ask(connection, listJobs(), '', signal);
      const jobs: JobState[] = [];
      for (let next = takeJob(bytes); next !== undefined; next = takeJob(bytes)) {
        jobs.push(next.job);
        bytes = next.rest;
      }
      return jobs;
    },

    async get(id, { offset, limit }, signal) {
      const script = showJob(checked(id), offset, limit);
      const { job, rest } = one(await ask(connection, script, id, signal), id);
      const isLast = job.status === 'exited' && offset + rest.length >= job.outputBytes;
      const output = isLast ? rest : rest.subarray(0, rest.length - unfinished(rest));
      return { ...job, output: output.toString(), nextOffset: offset + output.length };
    },

    async end(id, signal) {
      return one(await ask(connection, endJob(checked(id)), id, signal), id).job;
    },
  };
}

function one(bytes: Buffer, id: string) {
  const found = takeJob(bytes);
  if (found === undefined) throw unknownJob(id);
  return found;
}

/** Ids are ours; what cannot be one is not looked for. */
function checked(id: string): string {
  if (!/^job_[0-9a-z]{17}$/.test(id)) throw unknownJob(id);
  return id;
}

async function ask(
  connection: Connection,
  script: string,
  id: string,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const stdout = new CappedOutput(MOST_BYTES);
  const result = await runCommand(connection, {
    bootstrap: FROM_INPUT,
    input: script,
    timeoutMs: ANSWER_MS,
    signal,
    onStdout: (chunk) => stdout.write(chunk),
    onStderr: () => undefined,
  });
  if (result.header === MISSING) throw unknownJob(id);
  if (result.header === FOUND && !result.timedOut) return stdout.bytes();
  throw new ApiError('guest_failed', 'The computer did not tell about its jobs.');
}

function unknownJob(id: string): ApiError {
  return new ApiError('not_found', `This computer has no job ${JSON.stringify(id.slice(0, 100))}.`);
}
