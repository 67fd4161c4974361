import { ApiError } from '../../contract/errors.js';
import { CappedOutput } from '../../lib/streams/capped-output.js';
import type { Connection } from '../connection.js';
import { type CommandResult, runCommand } from '../process/command.js';
import { MOST_OUTPUT, processId } from '../process/run.js';
import { fromFirstBytes, replaceShell } from '../process/scripts.js';
import type { PythonResult } from '../types.js';
import { newMarker, pythonInput, START_PYTHON } from './driver.js';
import { PythonReport } from './report.js';

/** Bash's exit code for a missing program. */
const NOT_FOUND = 127;

interface PythonInput {
  readonly code: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Runs Python code. An exception, `sys.exit` with a value other than 0, a kill and the time-out
 * all result in an `error`. Output beyond 1 MiB per stream is dropped, with a note at the end.
 */
export async function python(connection: Connection, input: PythonInput): Promise<PythonResult> {
  const marker = newMarker();
  const stdout = new CappedOutput(MOST_OUTPUT);
  const stderr = new CappedOutput(MOST_OUTPUT);
  const report = new PythonReport(marker, (chunk) => stderr.write(chunk));
  const data = pythonInput(input.code, marker);
  const script = Buffer.from(replaceShell(START_PYTHON, input));
  const start =
    Object.keys(input.env).length === 0
      ? { bootstrap: `echo $$; ${START_PYTHON}`, input: data }
      : { bootstrap: fromFirstBytes(script.length), input: Buffer.concat([script, data]) };
  const result = await runCommand(connection, {
    ...start,
    timeoutMs: input.timeoutMs,
    signal: input.signal,
    kept: [stdout, stderr],
    onStdout: (chunk) => stdout.write(chunk),
    onStderr: (chunk) => report.write(chunk),
  });
  report.end();
  processId(result, undefined, () => stderr.text());
  if (result.code === NOT_FOUND && report.error === undefined && stdout.text() === '') {
    throw new ApiError('unsupported', "The computer's image does not contain python3.");
  }
  const truncated = stdout.truncated || stderr.truncated;
  return {
    output: stdout.text() + stderr.text() + (truncated ? '\n[output truncated]\n' : ''),
    truncated,
    ...outcome(result, report, input.timeoutMs),
    timedOut: result.timedOut,
  };
}

function outcome(
  { code, signal, timedOut }: CommandResult,
  report: PythonReport,
  timeoutMs: number,
): Pick<PythonResult, 'error' | 'errorType'> {
  if (report.error) return { error: report.error.text, errorType: report.error.type };
  if (timedOut) {
    const error = `TimeoutError: the code was ended after ${timeoutMs / 1000} s\n`;
    return { error, errorType: 'TimeoutError' };
  }
  if (code === 0) return {};
  const how = code === null ? `by ${signal ?? 'an unknown signal'}` : `with exit code ${code}`;
  return { error: `Python ended ${how}\n`, errorType: code === null ? 'Killed' : 'SystemExit' };
}
