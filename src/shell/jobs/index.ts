import { ApiError } from '../../contract/errors.js';
import { CappedOutput } from '../../lib/streams/capped-output.js';
import type { Connection } from '../connection.js';
import { runCommand } from '../process/command.js';
import { FROM_INPUT } from '../process/scripts.js';
import { MOST_JOB_BYTES, takeJob, takeJobs, unfinished } from './fields.js';
import { isJobId } from './id.js';
import { awaitJobs, endJob, FOUND, listJobs, MISSING, MOST_JOBS, showJob } from './scripts.js';
import type { Jobs } from './types.js';

const ANSWER_MS = 15_000;

/** The background commands at the other end of a connection. */
export function openJobs(connection: Connection): Jobs {
  return {
    async list(signal) {
      const question = { script: listJobs(), id: '', mostBytes: MOST_JOBS * MOST_JOB_BYTES };
      return takeJobs(await ask(connection, question, signal), MOST_JOBS);
    },

    async get(id, { offset, limit }, signal) {
      const script = showJob(checked(id), offset, limit);
      const question = { script, id, mostBytes: MOST_JOB_BYTES + limit };
      const found = one(await ask(connection, question, signal), id);
      const { job } = found;
      const rest = found.rest.subarray(0, limit);
      const isLast = job.status === 'exited' && offset + rest.length >= job.outputBytes;
      const output = isLast ? rest : rest.subarray(0, rest.length - unfinished(rest));
      return { ...job, output: output.toString(), nextOffset: offset + output.length };
    },

    async settled(ids, withinMs, signal) {
      const script = awaitJobs(ids.map(checked), Math.ceil(withinMs / 1000));
      const question = { script, id: '', mostBytes: ids.length * MOST_JOB_BYTES };
      const waited = { ...question, timeoutMs: withinMs + ANSWER_MS };
      return takeJobs(await ask(connection, waited, signal), ids.length);
    },

    async end(id, signal) {
      const question = { script: endJob(checked(id)), id, mostBytes: MOST_JOB_BYTES };
      return one(await ask(connection, question, signal), id).job;
    },
  };
}

function one(bytes: Buffer, id: string) {
  const found = takeJob(bytes);
  if (found?.job.id !== id) throw unknownJob(id);
  return found;
}

/** Validates an id before it becomes part of a script. */
function checked(id: string): string {
  if (!isJobId(id)) throw unknownJob(id);
  return id;
}

/** Resolves with the first `mostBytes` bytes that the script prints. */
async function ask(
  connection: Connection,
  {
    script,
    id,
    mostBytes,
    timeoutMs = ANSWER_MS,
  }: { script: string; id: string; mostBytes: number; timeoutMs?: number },
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const stdout = new CappedOutput(mostBytes);
  const result = await runCommand(connection, {
    bootstrap: FROM_INPUT,
    input: script,
    timeoutMs,
    signal,
    kept: [stdout],
    onStdout: (chunk) => stdout.write(chunk),
    onStderr: () => undefined,
  });
  if (result.header === MISSING) throw unknownJob(id);
  if (result.header === FOUND && !result.timedOut) return Buffer.from(stdout.bytes());
  throw new ApiError('guest_failed', 'The computer did not answer a request for its jobs.');
}

function unknownJob(id: string): ApiError {
  return new ApiError('not_found', `This computer has no job ${JSON.stringify(id.slice(0, 100))}.`);
}
