import { ApiError } from '../../contract/errors.js';
import { CappedOutput } from '../../lib/streams/capped-output.js';
import { excerpt } from '../../lib/text/printable.js';
import type { Connection } from '../connection.js';
import { newJobId } from '../jobs/id.js';
import type { RunInput, RunResult } from '../types.js';
import { type CommandResult, runCommand } from './command.js';
import { background, FROM_INPUT, foreground, NO_DIRECTORY } from './scripts.js';

/** Bytes kept of standard output and of standard error each. */
export const MOST_OUTPUT = 1024 * 1024;

/** Runs a script, see {@link RunInput}. */
export async function run(connection: Connection, input: RunInput): Promise<RunResult> {
  const stdout = new CappedOutput(MOST_OUTPUT);
  const stderr = new CappedOutput(MOST_OUTPUT);
  const { jobId = newJobId() } = input;
  const script = input.background
    ? background(input.command, input, jobId)
    : foreground(input.command, input);
  const result = await runCommand(connection, {
    bootstrap: FROM_INPUT,
    input: script,
    timeoutMs: input.timeoutMs,
    signal: input.signal,
    kept: [stdout, stderr],
    onStdout: (chunk) => stdout.write(chunk),
    onStderr: (chunk) => stderr.write(chunk),
  });
  const pid = processId(result, input.cwd, () => stderr.text());
  const ended = result.timedOut || input.background;
  return {
    stdout: stdout.text(),
    stderr: stderr.text(),
    exitCode: ended ? null : result.code,
    timedOut: result.timedOut,
    truncated: stdout.truncated || stderr.truncated,
    ...(input.background && pid !== undefined ? { pid, jobId } : {}),
  };
}

/** The header's process id. Throws when the directory does not exist or nothing was started. */
export function processId(
  { header, timedOut }: CommandResult,
  cwd: string | undefined,
  errors: () => string,
): number | undefined {
  if (header === NO_DIRECTORY) {
    const message = `cwd: ${JSON.stringify(cwd)} is not a directory in the computer.`;
    throw new ApiError('invalid_request', message);
  }
  const pid = header !== undefined && /^\d{1,10}$/.test(header) ? Number(header) : undefined;
  if (pid === undefined && !timedOut) {
    const detail = excerpt(errors().trim().split('\n')[0] ?? '');
    const message = `The computer could not start the command${detail && `: ${detail}`}.`;
    throw new ApiError('guest_failed', message);
  }
  return pid;
}
