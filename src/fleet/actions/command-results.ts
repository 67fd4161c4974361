import type { BashResult, ExecResult } from '../../contract/actions/actions.js';
import type { PythonResult, RunResult } from '../../shell/types.js';

/** The answer to `bash`. */
export function bashResult(result: RunResult): BashResult {
  return {
    success: !result.timedOut,
    output: result.stdout + result.stderr,
    stdout: result.stdout,
    stderr: result.stderr,
    exit_code: result.exitCode,
    timed_out: result.timedOut,
    truncated: result.truncated,
    ...(result.pid === undefined ? {} : { pid: result.pid }),
    ...(result.jobId === undefined ? {} : { job_id: result.jobId }),
  };
}

/** The answer to `exec`. */
export function execResult(result: PythonResult): ExecResult {
  return {
    success: result.error === undefined && !result.timedOut,
    output: result.output,
    ...(result.error === undefined ? {} : { error: result.error }),
    ...(result.errorType === undefined ? {} : { error_type: result.errorType }),
    timed_out: result.timedOut,
    truncated: result.truncated,
  };
}
